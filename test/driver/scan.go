// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// every is the pause between two rounds through all processes.
const every = 50 * time.Millisecond

// scanTally says how thorough a scan was; one that read nothing proves nothing.
type scanTally struct {
	Rounds     int `json:"rounds"`
	Read       int `json:"read"`
	Unreadable int `json:"unreadable"`
	Hits       int `json:"hits"`
}

// scan searches the environment and the command line of every process for needles. The
// driver itself is searched like any other: it has the needle from a file, so finding it
// here would mean that the driver was given the secret.
type scan struct {
	file    string
	needles [][]byte // anywhere in the text
	prefix  []byte   // at the begin of a variable
	hits    []string
	tally   scanTally
}

// startScan searches in the background. The function it returns ends the search, after
// at least one whole round.
func startScan(o options) (finish func() (scanTally, error), err error) {
	if o.scanProc == "" {
		return func() (scanTally, error) { return scanTally{}, nil }, nil
	}
	s := &scan{file: o.scanProc}
	if err := s.setNeedles(o); err != nil {
		return nil, err
	}
	stop, result := make(chan struct{}), make(chan error)
	go func() { result <- s.loop(stop) }()
	return func() (scanTally, error) {
		close(stop)
		err := <-result
		return s.tally, err
	}, nil
}

func (s *scan) setNeedles(o options) error {
	if o.needleEnv != "" {
		s.prefix = []byte(o.needleEnv + "=")
	}
	if o.needleFile != "" {
		text, err := os.ReadFile(o.needleFile)
		if err != nil {
			return err
		}
		s.needles = append(s.needles, bytes.TrimRight(text, "\n"))
	}
	for _, needle := range s.needles {
		if len(needle) == 0 {
			return errors.New("the needle is empty and would be found everywhere")
		}
	}
	if s.prefix == nil && s.needles == nil {
		return errors.New("-scan-proc needs -needle-file or -needle-env")
	}
	return nil
}

func (s *scan) loop(stop <-chan struct{}) error {
	for {
		if err := s.round(); err != nil {
			return err
		}
		select {
		case <-stop:
			return nil
		case <-time.After(every):
		}
	}
}

// round looks at every process once and writes the hits of all rounds so far.
func (s *scan) round() error {
	for _, kind := range []string{"environ", "cmdline"} {
		files, err := filepath.Glob("/proc/[0-9]*/" + kind)
		if err != nil {
			return err
		}
		for _, file := range files {
			s.look(file, kind)
		}
	}
	s.tally.Rounds++
	s.tally.Hits = len(s.hits)
	return s.write()
}

func (s *scan) look(file, kind string) {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, os.ErrPermission):
		s.tally.Unreadable++
		return
	case err != nil:
		return // ended meanwhile
	}
	s.tally.Read++
	if !s.holds(text, kind) {
		return
	}
	dir := filepath.Dir(file)
	comm, _ := os.ReadFile(filepath.Join(dir, "comm"))
	hit := fmt.Sprintf("%s %s %s", filepath.Base(dir), bytes.TrimSpace(comm), kind)
	if !slices.Contains(s.hits, hit) {
		s.hits = append(s.hits, hit)
	}
}

func (s *scan) holds(text []byte, kind string) bool {
	for _, needle := range s.needles {
		if bytes.Contains(text, needle) {
			return true
		}
	}
	if s.prefix == nil || kind != "environ" {
		return false
	}
	// The name alone may stand in any value, such as that of a list of names.
	return slices.ContainsFunc(bytes.Split(text, []byte{0}), func(variable []byte) bool {
		return bytes.HasPrefix(variable, s.prefix)
	})
}

// write replaces the file in one go: the driver may be killed at any time.
func (s *scan) write() error {
	text := strings.Join(s.hits, "\n")
	if text != "" {
		text += "\n"
	}
	if err := os.WriteFile(s.file+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(s.file+".new", s.file)
}

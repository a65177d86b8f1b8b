// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"
	"sync"
	"time"
)

// Page is one metrics page as it was served; its values were read between Begin and End.
type Page struct {
	Begin time.Time `json:"begin"`
	End   time.Time `json:"end"`
	Body  string    `json:"body"`
}

// pageLog appends pages to a file, one JSON object a line.
type pageLog struct {
	path string
	mu   sync.Mutex
}

func (l *pageLog) add(begin, end time.Time, body []byte) {
	if l.path == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := appendLine(l.path, Page{Begin: begin, End: end, Body: string(body)}); err != nil {
		log.Printf("page log: %v", err)
	}
}

func appendLine(path string, page Page) error {
	line, err := json.Marshal(page)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// ReadPages reads a page log. A last line that is not complete is left out.
func ReadPages(path string) ([]Page, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var pages []Page
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return pages, nil
		}
		if err != nil {
			return pages, err
		}
		var page Page
		if err := json.Unmarshal(line, &page); err != nil {
			return pages, err
		}
		pages = append(pages, page)
	}
}

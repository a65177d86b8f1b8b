// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Command release makes what an admin installs from programs that are built already: the
// tarballs, the directories that the packages are made of, and an image in OCI layout. It is
// called by `make dist` and its neighbours, from the root of the repository. The same inputs
// give the same bytes: names are sorted, owners are root, and every time is the commit's.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// options are the command line.
type options struct {
	out      string    // directory of the results
	programs string    // directory with <arch>/gym-otelcol and <arch>/gym-submit
	arches   []string  // amd64, arm64
	time     time.Time // of everything
	commit   string
	sbomTool string // cyclonedx-gomod
	busybox  string // for the image: a static one of the image's architecture
	caBundle string // for the image
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("say what to make: tarballs, image or sums")
	}
	var o options
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.StringVar(&o.out, "o", "dist", "directory of the results")
	flags.StringVar(&o.programs, "programs", "dist/build", "directory with <arch>/gym-otelcol and <arch>/gym-submit")
	arches := flags.String("arches", "amd64 arm64", "architectures, blank between them")
	epoch := flags.Int64("epoch", 0, "time of all files, in seconds since 1970")
	flags.StringVar(&o.commit, "commit", "", "commit that the programs were built from")
	flags.StringVar(&o.sbomTool, "sbom-tool", "bin/tools/cyclonedx-gomod", "cyclonedx-gomod")
	flags.StringVar(&o.busybox, "busybox", "/bin/busybox", "static busybox of the image's architecture")
	flags.StringVar(&o.caBundle, "ca-bundle", "/etc/ssl/certs/ca-certificates.crt", "CA certificates for the image")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	o.arches, o.time = strings.Fields(*arches), time.Unix(*epoch, 0).UTC()
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return err
	}
	switch args[0] {
	case "tarballs":
		return tarballs(o)
	case "image":
		return images(o)
	case "sums":
		return sums(o.out)
	}
	return fmt.Errorf("%q can not be made: it is one of tarballs, image, sums", args[0])
}

// name is the beginning of the name of every result.
func name(what string) string { return "gym-otelcol-" + version.Version + "-linux-" + what }

// program is the path of a built program.
func (o options) program(arch, program string) string {
	return filepath.Join(o.programs, arch, program)
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package install uses what `make dist`, `make packages` and `make image-archive` make the way
// an admin does: in a Debian tree without Go, with dpkg, as an image, while jobs run.
package install

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
	"github.com/gym-otelcol/gym-otelcol/test/internal/netns"
)

const (
	root = "../../.."
	// commit and date are the same for all builds, as they are for all of one commit.
	commit = "0123456789ab"
	date   = "2026-01-02T03:04:05Z"
	// newer is the version that the tests upgrade to.
	newer = "99.0.0"

	madeVariable = "GYM_TEST_INSTALL_DIR"
)

var prepared = flag.String("prepared", "", "directory of a former call: what is in it is used, what is not is made and kept")

// made is what the tests work with:
//
//	first/   a release of this source
//	second/  the same, built from a copy of the source in another directory
//	newer/   amd64 only, of the next version
//	tree.tar a Debian without Go
//	bin/     the stand-ins for vLLM and a benchmark
var made string

// The releases are built before the tests enter their own network, in which there is no module
// proxy and no Debian mirror.
func TestMain(m *testing.M) {
	flag.Parse()
	if made = os.Getenv(madeVariable); made == "" {
		dir, err := prepare()
		if err != nil {
			fmt.Fprintln(os.Stderr, "prepare:", err)
			if *prepared == "" {
				os.RemoveAll(dir)
			}
			os.Exit(1)
		}
		made = dir
		if err := os.Setenv(madeVariable, dir); err != nil {
			panic(err)
		}
	}
	code := netns.Run(m.Run)
	if *prepared == "" && os.Getenv("GYM_TEST_NETNS") == "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

func prepare() (dir string, err error) {
	if dir = *prepared; dir == "" {
		dir, err = os.MkdirTemp("", "gym-install-")
	} else {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755) // an ordinary user installs from it
	}
	if err != nil {
		return dir, err
	}
	for _, step := range []struct {
		result string
		make   func(dir, result string) error
	}{
		{"first", func(_, result string) error { return build(root, result) }},
		{"source", func(_, result string) error { return copySource(result) }},
		{"second", func(dir, result string) error { return build(filepath.Join(dir, "source"), result) }},
		{"newer", buildNewer},
		{"bin", func(_, result string) error { return standIns(result) }},
		{"tree.tar", func(_, result string) error { return debian(result) }},
	} {
		result := filepath.Join(dir, step.result)
		if _, err := os.Stat(result); err == nil {
			continue
		}
		if err := step.make(dir, result); err != nil {
			return dir, fmt.Errorf("%s: %w", step.result, err)
		}
	}
	return dir, nil
}

// build makes a whole release, into a directory that appears when it is done.
func build(source, result string) error {
	targets := []string{"dist", "packages"}
	if busybox() != "" {
		targets = append(targets, "image-archive")
	}
	return makeTargets(source, result, append(targets, "BUSYBOX="+busybox())...)
}

func makeTargets(source, result string, args ...string) error {
	part := result + ".part"
	cmd := exec.Command("make", append([]string{"-C", source, "DIST=" + part, "COMMIT=" + commit, "DATE=" + date}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make: %w\n%s", err, out)
	}
	return os.Rename(part, result)
}

// copySource copies the files that git knows or would take, and nothing of git itself: the
// second build is one from a source archive.
func copySource(result string) error {
	return shell(`mkdir "$1" && git -C "$0" ls-files -z --cached --others --exclude-standard |
		(cd "$0" && xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"; done' sh) |
		tar -C "$0" --null --files-from=- -c | tar -C "$1" -x`, root, result)
}

// buildNewer changes the version in the copy, where nobody minds.
func buildNewer(dir, result string) error {
	source := filepath.Join(dir, "source")
	for _, file := range []string{"internal/version/VERSION", "builder-config.yaml", "cmd/gym-otelcol/main.go"} {
		path := filepath.Join(source, file)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		changed := strings.ReplaceAll(string(data), version.Version, newer)
		if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
			return err
		}
	}
	return makeTargets(source, result, "dist", "packages", "ARCHES=amd64")
}

func standIns(result string) error {
	for name, source := range map[string]string{"vllm": "test/engine", "driver": "test/driver"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(result, name), "./"+source)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath -tags=remove_all_sd -buildvcs=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	return nil
}

// busybox is a static one, or empty.
func busybox() string {
	for _, path := range []string{"/bin/busybox", "/usr/bin/busybox"} {
		if shell(`! ldd "$0" >/dev/null 2>&1 && "$0" true`, path) == nil {
			return path
		}
	}
	return ""
}

// shell runs a script of the test with arguments from $0 on.
func shell(script string, args ...string) error {
	out, err := exec.Command("sh", append([]string{"-euc", script}, args...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

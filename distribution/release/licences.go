// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenceFile tells texts that have to go along with a binary. Sources may be called the same.
var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying|notice|patents|copyright)([.-].*)?$`)

// linked is a package that the go command links into a program.
type linked struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// addLicences adds the licence texts of everything that is linked into the two programs, as the
// go command says it: those of each module, those that lie between its root and the packages
// that are really used, and Go's own.
func addLicences(t tree, arch string) error {
	packages, err := linkedPackages(arch)
	if err != nil {
		return err
	}
	found, versions := map[string]int{}, map[string]string{}
	for _, p := range packages {
		if p.Standard || p.Module == nil || p.Module.Main {
			continue
		}
		versions[p.Module.Path] = p.Module.Version
		for dir := p.Dir; strings.HasPrefix(dir+"/", p.Module.Dir+"/"); dir = filepath.Dir(dir) {
			relative, err := filepath.Rel(p.Module.Dir, dir)
			if err != nil {
				return err
			}
			n, err := addTexts(t, path.Join("share/licenses", p.Module.Path, filepath.ToSlash(relative)), dir)
			if err != nil {
				return err
			}
			found[p.Module.Path] += n
		}
	}
	var missing []string
	var index bytes.Buffer
	for _, module := range slices.Sorted(maps.Keys(versions)) {
		if found[module] == 0 {
			missing = append(missing, module)
		}
		fmt.Fprintf(&index, "%s %s\n", module, versions[module])
	}
	if len(missing) > 0 {
		return fmt.Errorf("no licence text in %s", strings.Join(missing, ", "))
	}
	t.add("share/licenses/modules-"+arch+".txt", index.Bytes())
	return addGoLicence(t)
}

// addTexts adds the licence texts of one directory.
func addTexts(t tree, into, dir string) (int, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, file := range files {
		if file.Type().IsRegular() && licenceFile.MatchString(file.Name()) && filepath.Ext(file.Name()) != ".go" {
			t.addFile(path.Join(into, file.Name()), 0o644, filepath.Join(dir, file.Name()))
			n++
		}
	}
	return n, nil
}

// addGoLicence adds the licence of the standard library.
func addGoLicence(t tree) error {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	n, err := addTexts(t, "share/licenses/std", strings.TrimSpace(string(out)))
	if err == nil && n == 0 {
		err = errors.New("no licence text in GOROOT")
	}
	return err
}

func linkedPackages(arch string) ([]linked, error) {
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", "./cmd/gym-otelcol", "./cmd/gym-submit")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []linked
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p linked
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// addBills adds a bill of materials (CycloneDX) for each program, read from what the linker
// wrote into it. Licences in it are what the tool recognised in the texts, as evidence.
func addBills(t tree, o options, arch string) error {
	programs := []string{"gym-otelcol", "gym-submit"}
	bills := make([][]byte, len(programs))
	var group errgroup.Group
	for i, program := range programs {
		group.Go(func() (err error) {
			bills[i], err = bill(o, arch, program)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, program := range programs {
		t.add("share/sbom/"+program+"-"+arch+".cdx.json", bills[i])
	}
	return nil
}

func bill(o options, arch, program string) ([]byte, error) {
	file := filepath.Join(o.programs, arch, program+".cdx.json")
	// Everything is in the module cache since the build, and this module is in no proxy.
	err := command([]string{"GOPROXY=off"}, o.sbomTool, "bin", "-json", "-noserial", "-notimestamp", "-std", "-licenses",
		"-version", "v"+version.Version, "-output", file, o.program(arch, program))
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

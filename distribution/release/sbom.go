// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// addBills adds a bill of materials (CycloneDX) for each program, read from what the linker
// wrote into it. Licences in it are what was recognised in the texts, as evidence.
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
		corrected, err := correctLicences(bills[i], t)
		if err != nil {
			return fmt.Errorf("correct the licences of %s: %w", program, err)
		}
		t.add("share/sbom/"+program+"-"+arch+".cdx.json", corrected)
	}
	return nil
}

func bill(o options, arch, program string) ([]byte, error) {
	file := filepath.Join(o.programs, arch, program+".cdx.json")
	// Everything is in the module cache since the build, which compared it with go.sum; this module is in no proxy.
	// The checksum database would be asked by way of the proxy.
	err := command([]string{"GOPROXY=off", "GOSUMDB=off"}, o.sbomTool, "bin", "-json", "-noserial", "-notimestamp", "-std", "-licenses",
		"-version", "v"+version.Version, "-output", file, o.program(arch, program))
	if err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// confused are the licences that the tool takes others for: the usual BSD-3-Clause and ISC.
var confused = []string{"0BSD", "BSD-Source-Code"}

// correctLicences looks into the texts that are packed with the bill where the tool named no
// licence or one of those it confuses, and names the licence of the program itself.
func correctLicences(bill []byte, texts tree) ([]byte, error) {
	var document map[string]any
	if err := json.Unmarshal(bill, &document); err != nil {
		return nil, err
	}
	if metadata, ok := document["metadata"].(map[string]any); ok {
		if program, ok := metadata["component"].(map[string]any); ok {
			program["licenses"] = licences("Apache-2.0")
		}
	}
	components, _ := document["components"].([]any)
	for _, c := range components {
		component, _ := c.(map[string]any)
		if id := namedLicence(component); id != "" && !slices.Contains(confused, id) {
			continue
		}
		module, _ := component["name"].(string)
		id, err := licenceIn(texts, module)
		if err != nil {
			return nil, err
		}
		component["evidence"] = map[string]any{"licenses": licences(id)}
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(document)
	return out.Bytes(), err
}

func licences(id string) []any {
	return []any{map[string]any{"license": map[string]any{"id": id}}}
}

// namedLicence is the first one that the tool found for a component, or empty.
func namedLicence(component map[string]any) string {
	evidence, _ := component["evidence"].(map[string]any)
	all, _ := evidence["licenses"].([]any)
	if len(all) == 0 {
		return ""
	}
	choice, _ := all[0].(map[string]any)
	license, _ := choice["license"].(map[string]any)
	id, _ := license["id"].(string)
	return id
}

// licenceIn recognises the licence of a module by the sentence that no other one has.
func licenceIn(texts tree, module string) (string, error) {
	dir := path.Join("share/licenses", module)
	for _, name := range texts.names() {
		if path.Dir(name) != dir {
			continue
		}
		content, _, err := texts[name].open()
		if err != nil {
			return "", err
		}
		data, err := io.ReadAll(content)
		_ = content.Close()
		if err != nil {
			return "", err
		}
		text := strings.Join(strings.Fields(string(data)), " ")
		switch {
		case strings.Contains(text, "Redistributions in binary form must reproduce") && strings.Contains(text, "may be used to endorse or promote"):
			return "BSD-3-Clause", nil
		case strings.Contains(text, "with or without fee is hereby granted, provided that the above copyright notice"):
			return "ISC", nil
		}
	}
	return "", fmt.Errorf("the texts of %s are neither BSD-3-Clause nor ISC: see what they are and add it to licenceIn", module)
}

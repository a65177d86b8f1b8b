// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var when = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestTar(t *testing.T) {
	source := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(source, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	files := tree{}
	files.addFile("bin/b", 0o755, source)
	files.add("a", []byte("yy"))
	files.addLink("bin/c", "b")
	files.addDir("tmp", os.ModeSticky|0o777)
	var first, second bytes.Buffer
	if err := errors.Join(files.tar(&first, "top", when), files.tar(&second, "top", when)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("packed twice, the bytes differ")
	}
	var names []string
	for in := tar.NewReader(&first); ; {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(when) || h.Uid != 0 || h.Gid != 0 || h.Uname != "" {
			t.Errorf("%s has time %v and owner %d:%d %q", h.Name, h.ModTime, h.Uid, h.Gid, h.Uname)
		}
		names = append(names, h.Name+h.FileInfo().Mode().String())
	}
	want := []string{"top/drwxr-xr-x", "top/a-rw-r--r--", "top/bin/drwxr-xr-x", "top/bin/b-rwxr-xr-x", "top/bin/cLrwxrwxrwx", "top/tmp/dtrwxrwxrwx"}
	if !slices.Equal(names, want) {
		t.Errorf("got  %v\nwant %v", names, want)
	}
}

func TestLicenceFile(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENCE.md": true, "COPYING": true, "NOTICE.txt": true, "LICENSE-MIT": true, "UNLICENSE": true, "PATENTS": true,
		"license_test.go": false, "licensing.md": false, "README.md": false, "noticeboard": false,
	} {
		if got := licenceFile.MatchString(name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Each blob of the layout has the digest and size that the one above says.
func TestOCILayout(t *testing.T) {
	layout, err := ociLayout(options{time: when, commit: "0123"}, "arm64", []byte("layer"))
	if err != nil {
		t.Fatal(err)
	}
	open := func(d descriptor, into any) {
		t.Helper()
		data := layout["blobs/sha256/"+strings.TrimPrefix(d.Digest, "sha256:")].data
		if digest(data) != d.Digest || len(data) != d.Size {
			t.Errorf("%s has %d bytes and digest %s, want %d", d.Digest, len(data), digest(data), d.Size)
		}
		if err := json.Unmarshal(data, into); into != nil && err != nil {
			t.Error(err)
		}
	}
	var top index
	if err := json.Unmarshal(layout["index.json"].data, &top); err != nil || len(top.Manifests) != 1 {
		t.Fatalf("index.json: %v, %+v", err, top)
	}
	var m manifest
	open(top.Manifests[0], &m)
	var config imageConfig
	open(m.Config, &config)
	if config.Architecture != "arm64" || config.Config.User != imageUser || config.RootFS.DiffIDs[0] != digest([]byte("layer")) {
		t.Errorf("config: %+v", config)
	}
	if len(m.Layers) != 1 || layout["blobs/sha256/"+strings.TrimPrefix(m.Layers[0].Digest, "sha256:")].data == nil {
		t.Errorf("layers: %+v", m.Layers)
	}
}

func TestStaticArch(t *testing.T) {
	if _, err := staticArch("/nowhere"); err == nil || !strings.Contains(err.Error(), "busybox") {
		t.Errorf("a shell that is not there: %v", err)
	}
}

func TestRunRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, args := range [][]string{nil, {"everything", "-o", dir}, {"sums", "-no-such-flag"}} {
		if err := run(args); err == nil {
			t.Errorf("%v was taken", args)
		}
	}
}

// What the tool takes for another licence is read in the text that is packed.
func TestLicencesAreCorrected(t *testing.T) {
	bsd := []byte("Redistributions in binary\n  form must reproduce ... may be\n  used to endorse or promote products")
	texts := tree{}
	texts.add("share/licenses/golang.org/x/net/LICENSE", bsd)
	texts.add("share/licenses/golang.org/x/net/PATENTS", []byte("Additional IP Rights Grant"))
	texts.add("share/licenses/std/LICENSE", bsd)
	texts.add("share/licenses/example.com/isc/LICENSE", []byte("with or without fee is hereby granted, provided that the above\ncopyright notice"))
	texts.add("share/licenses/example.com/isc/other/LICENSE", bsd)
	found := func(name, id string) string {
		return `{"name": "` + name + `", "evidence": {"licenses": [{"license": {"id": "` + id + `"}}]}}`
	}
	bill := func(components ...string) []byte {
		return []byte(`{"version": 1, "metadata": {"component": {"name": "program"}}, "components": [` + strings.Join(components, ",") + `]}`)
	}
	out, err := correctLicences(bill(found("golang.org/x/net", "BSD-Source-Code"), found("example.com/isc", "0BSD"), found("example.com/mit", "MIT"), `{"name": "std"}`), texts)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Metadata struct {
			Component struct {
				Licenses []any `json:"licenses"`
			} `json:"component"`
		} `json:"metadata"`
		Components []map[string]any `json:"components"`
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Metadata.Component.Licenses) != 1 {
		t.Error("the program itself has no licence")
	}
	for i, want := range []string{"BSD-3-Clause", "ISC", "MIT", "BSD-3-Clause"} {
		if id := namedLicence(got.Components[i]); id != want {
			t.Errorf("%s has licence %q, want %s", got.Components[i]["name"], id, want)
		}
	}
	if _, err := correctLicences(bill(found("example.com/unknown", "0BSD")), texts); err == nil {
		t.Error("a licence that nobody has looked at was accepted")
	}
}

// A link of a packed page leads to where its target is packed, or is none any more.
func TestRelink(t *testing.T) {
	t.Chdir(t.TempDir())
	pages := map[string]string{
		"README.md":       "[the page](docs/admin/a.md#part) [code](cmd/x.go), [`b`](docs/b.md) [web](https://example.com/docs/b.md)",
		"docs/admin/a.md": "[up](../../README.md) [b](../b.md)",
		"docs/b.md":       "text",
	}
	for name, text := range pages {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	packed := tree{}
	packed.addFile("README.md", 0o644, "README.md")
	packed.addFile("share/doc/admin/a.md", 0o644, "docs/admin/a.md")
	packed.addFile("share/doc/b.md", 0o644, "docs/b.md")
	if err := relink(packed); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"README.md":            "[the page](share/doc/admin/a.md#part) code, [`b`](share/doc/b.md) [web](https://example.com/docs/b.md)",
		"share/doc/admin/a.md": "[up](../../../README.md) [b](../b.md)",
	} {
		if got := string(packed[name].data); got != want {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
		}
	}
}

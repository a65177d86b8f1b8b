// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// What the image is started with; the Dockerfile has the same.
const (
	imageProgram = "/usr/local/bin/gym-otelcol"
	imageUser    = "10001:10001"
)

// applets are the commands that busybox is called by: what enroot, pyxis and the job's first
// step run, and what a person looks around with.
var applets = []string{
	"[", "ash", "awk", "base64", "basename", "cat", "chmod", "cp", "cut", "date", "df", "dirname", "du", "echo", "false",
	"find", "free", "grep", "head", "hostname", "id", "kill", "ln", "ls", "mkdir", "mv", "nc", "netstat", "printenv", "printf",
	"ps", "pwd", "readlink", "rm", "sed", "sh", "sleep", "sort", "stat", "tail", "test", "timeout", "touch", "tr", "true",
	"uname", "uniq", "vi", "wc", "wget", "which", "xargs",
}

// images makes an image in OCI layout for each architecture that the busybox is for, with no
// container engine: a tarball that podman, buildah and skopeo read.
func images(o options) error {
	arch, err := staticArch(o.busybox)
	if err != nil {
		return err
	}
	root := rootFileSystem(o, arch)
	if err := addLicences(root, arch); err != nil {
		return err
	}
	var layer bytes.Buffer
	if err := root.tar(&layer, "", o.time); err != nil {
		return err
	}
	layout, err := ociLayout(o, arch, layer.Bytes())
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(o.out, name(arch)+".oci.tar"), func(w io.Writer) error {
		return layout.tar(w, "", o.time)
	})
}

// staticArch is the architecture of a program that needs no libraries.
func staticArch(program string) (string, error) {
	file, err := elf.Open(program)
	if err != nil {
		return "", fmt.Errorf("the image needs a shell, a static busybox: %w", err)
	}
	defer func() { _ = file.Close() }()
	for _, segment := range file.Progs {
		if segment.Type == elf.PT_INTERP {
			return "", fmt.Errorf("%s needs libraries, and the image has none: name a static busybox (Debian: busybox-static)", program)
		}
	}
	switch file.Machine {
	case elf.EM_X86_64:
		return "amd64", nil
	case elf.EM_AARCH64:
		return "arm64", nil
	default:
		return "", fmt.Errorf("%s is for %s, and there is no gym-otelcol for it", program, file.Machine)
	}
}

// rootFileSystem is everything that is in the image but the licences.
func rootFileSystem(o options, arch string) tree {
	t := tree{}
	t.addFile(imageProgram[1:], 0o755, o.program(arch, "gym-otelcol"))
	t.addFile("bin/busybox", 0o755, o.busybox)
	for _, applet := range applets {
		t.addLink("bin/"+applet, "busybox")
	}
	t.addLink("usr/bin/env", "/bin/busybox")
	t.addFile("etc/ssl/certs/ca-certificates.crt", 0o644, o.caBundle)
	t.add("etc/passwd", []byte("root:x:0:0:root:/root:/bin/sh\ngym:x:10001:10001:gym-otelcol:/:/bin/sh\n"))
	t.add("etc/group", []byte("root:x:0:\ngym:x:10001:\n"))
	t.add("etc/hosts", []byte("127.0.0.1 localhost\n::1 localhost\n"))
	t.addFile("usr/share/doc/gym-otelcol/LICENSE", 0o644, "LICENSE")
	// Where enroot mounts something; it cannot create them in a read-only image.
	for _, dir := range []string{"dev", "home", "mnt", "opt", "proc", "run", "srv", "sys", "var"} {
		t.addDir(dir, 0o755)
	}
	t.addDir("root", 0o700)
	t.addDir("tmp", os.ModeSticky|0o777)
	t.addDir("var/tmp", os.ModeSticky|0o777)
	return t
}

// descriptor points to a blob, in the words of the OCI image specification.
type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
	Platform    *platform         `json:"platform,omitempty"`
}

type platform struct {
	Architecture string `json:"architecture"`
	OS           string `json:"os"`
}

type manifest struct {
	SchemaVersion int               `json:"schemaVersion"`
	MediaType     string            `json:"mediaType"`
	Config        descriptor        `json:"config"`
	Layers        []descriptor      `json:"layers"`
	Annotations   map[string]string `json:"annotations"`
}

type imageConfig struct {
	Created time.Time `json:"created"`
	platform
	Config struct {
		User   string            `json:"User"`
		Env    []string          `json:"Env"`
		Cmd    []string          `json:"Cmd"`
		Labels map[string]string `json:"Labels"`
	} `json:"config"`
	RootFS struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	} `json:"rootfs"`
	History []map[string]any `json:"history"`
}

type index struct {
	SchemaVersion int          `json:"schemaVersion"`
	MediaType     string       `json:"mediaType"`
	Manifests     []descriptor `json:"manifests"`
}

// labels are the same as those of the Dockerfile.
func labels(o options) map[string]string {
	return map[string]string{
		"org.opencontainers.image.title":       "gym-otelcol",
		"org.opencontainers.image.description": "OpenTelemetry Collector for evaluation jobs",
		"org.opencontainers.image.licenses":    "Apache-2.0 AND GPL-2.0-only", // the collector's and busybox's
		"org.opencontainers.image.version":     version.Version,
		"org.opencontainers.image.revision":    o.commit,
		"org.opencontainers.image.created":     o.time.Format(time.RFC3339),
	}
}

// ociLayout is an image of one layer.
func ociLayout(o options, arch string, layer []byte) (tree, error) {
	t := tree{}
	var compressed bytes.Buffer
	zip := gzip.NewWriter(&compressed)
	_, err := zip.Write(layer)
	if err := errors.Join(err, zip.Close()); err != nil {
		return nil, err
	}
	config := imageConfig{Created: o.time, platform: platform{Architecture: arch, OS: "linux"}}
	config.Config.User = imageUser
	config.Config.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin"}
	config.Config.Cmd = []string{imageProgram, "--help"}
	config.Config.Labels = labels(o)
	config.RootFS.Type, config.RootFS.DiffIDs = "layers", []string{digest(layer)}
	config.History = []map[string]any{{"created": o.time, "created_by": "make image-archive"}}

	m := manifest{SchemaVersion: 2, MediaType: "application/vnd.oci.image.manifest.v1+json", Annotations: labels(o)}
	m.Layers = []descriptor{t.blob("application/vnd.oci.image.layer.v1.tar+gzip", compressed.Bytes())}
	if m.Config, err = t.jsonBlob("application/vnd.oci.image.config.v1+json", config); err != nil {
		return nil, err
	}
	top, err := t.jsonBlob(m.MediaType, m)
	if err != nil {
		return nil, err
	}
	top.Platform = &config.platform
	top.Annotations = map[string]string{"org.opencontainers.image.ref.name": "gym-otelcol:" + version.Version}
	list, err := json.Marshal(index{SchemaVersion: 2, MediaType: "application/vnd.oci.image.index.v1+json", Manifests: []descriptor{top}})
	if err != nil {
		return nil, err
	}
	t.add("index.json", list)
	t.add("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`))
	return t, nil
}

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// blob stores data under its digest.
func (t tree) blob(mediaType string, data []byte) descriptor {
	t.add(fmt.Sprintf("blobs/sha256/%x", sha256.Sum256(data)), data)
	return descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
}

func (t tree) jsonBlob(mediaType string, value any) (descriptor, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return descriptor{}, err
	}
	return t.blob(mediaType, data), nil
}

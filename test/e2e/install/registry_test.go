// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
)

// registryHost is the documentation's registry.
const registryHost = "registry.example.com"

// startRegistry runs a real registry, without TLS, on the port where its host name leads.
func startRegistry(t *testing.T) {
	t.Helper()
	for _, program := range []string{"docker-registry", "podman", "skopeo"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	dir := t.TempDir()
	config := filepath.Join(dir, "config.yml")
	text := fmt.Sprintf("version: 0.1\nstorage: {filesystem: {rootdirectory: %s}}\nhttp: {addr: '127.0.0.1:80'}\n", filepath.Join(dir, "data"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	proc.Start(t, exec.Command("docker-registry", "serve", config)).Serves(t, 20*time.Second, "http://127.0.0.1/v2/")
}

// fromRegistry is the image that the documentation's commands pushed, as it comes back.
func fromRegistry(t *testing.T, b buildah) (id string) {
	t.Helper()
	image := fmt.Sprintf("%s/gym-otelcol:%s", registryHost, thisVersion)
	return b.run(t, `! buildah inspect --type image "$0" >/dev/null 2>&1 || buildah rmi -f "$0" >/dev/null; buildah pull -q "docker://$0"`, image)
}

// goEnv is a setting of the go command, which depends on the home directory.
func goEnv(name string) string {
	out, _ := exec.Command("go", "env", name).Output() // without a go command nothing is built either
	return strings.TrimSpace(string(out))
}

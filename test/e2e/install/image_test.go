// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/docs"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
)

// buildah has storage of its own, which podman and skopeo share, and one registry.
type buildah struct{ dir string }

func newBuildah(t *testing.T) buildah {
	t.Helper()
	if _, err := exec.LookPath("buildah"); err != nil || os.Getuid() != 0 {
		t.Skip("needs root and buildah")
	}
	b := buildah{t.TempDir()}
	settings := filepath.Join(b.dir, ".config", "containers")
	if err := os.MkdirAll(settings, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"storage.conf":    fmt.Sprintf("[storage]\ndriver = \"vfs\"\nrunroot = %q\ngraphroot = %q\n", b.dir+"/run", b.dir+"/graph"),
		"registries.conf": fmt.Sprintf("unqualified-search-registries = []\n[[registry]]\nlocation = %q\ninsecure = true\n", registryHost),
		"policy.json":     `{"default": [{"type": "insecureAcceptAnything"}]}`,
		"hosts":           "127.0.0.1 localhost " + registryHost + "\n",
	} {
		if err := os.WriteFile(filepath.Join(settings, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func (b buildah) env() []string {
	return append(os.Environ(), "CONTAINERS_STORAGE_CONF="+b.dir+"/.config/containers/storage.conf", "STORAGE_DRIVER=vfs", "BUILDAH_ISOLATION=chroot",
		"HOME="+b.dir, "GOCACHE="+goEnv("GOCACHE"), "GOMODCACHE="+goEnv("GOMODCACHE"))
}

func (b buildah) run(t *testing.T, script string, args ...string) string {
	t.Helper()
	// With the registry's name in /etc/hosts, for as long as the script runs.
	within := `mount --bind "$HOME/.config/containers/hosts" /etc/hosts; ` + script
	cmd := exec.Command("unshare", append([]string{"--mount", "--propagation", "private", "sh", "-euc", within}, args...)...)
	cmd.Env = b.env()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", script, err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// `make image` of the documentation builds the Dockerfile, and the image goes to a registry and
// back. The builder is the Debian tree with this machine's Go and caches mounted, the base a
// busybox.
func TestImage(t *testing.T) {
	b := newBuildah(t)
	tree := newTree(t)
	if busybox() == "" {
		t.Skip("needs a static busybox")
	}
	base := t.TempDir()
	b.run(t, `mkdir "$0/bin" "$0/usr" "$0/usr/bin"; cp "$1" "$0/bin/busybox"; for a in sh mkdir ls cat id sleep kill touch; do ln -s busybox "$0/bin/$a"; done; ln -s /bin/busybox "$0/usr/bin/env"`, base, busybox())
	for image, root := range map[string]string{"localhost/builder:test": tree.dir, registryHost + "/debian:bookworm-slim": base} {
		b.run(t, `c=$(buildah from scratch); buildah add -q "$c" "$0" / >/dev/null; buildah config --env PATH=/usr/local/go/bin:/usr/sbin:/usr/bin:/sbin:/bin "$c"; buildah commit -q "$c" "$1" >/dev/null; buildah rm "$c" >/dev/null`, root, image)
	}
	startRegistry(t)
	b.run(t, `root=$0 commit=$1 date=$2 go_root=$(go env GOROOT)
		make() {
			command make -C "$root" "$@" ENGINE=buildah BUILDER=localhost/builder:test COMMIT="$commit" DATE="$date" \
				IMAGE_FLAGS="-q --pull-never --volume $go_root:/usr/local/go:ro --volume $GOMODCACHE:/root/go/pkg/mod --volume $GOCACHE:/root/.cache/go-build" >&2
		}
		`+guide{}.text(docs.Take(t, "docs/admin/install.md", "image")), root, commit, date)
	startsLikeEnroot(t, b, fromRegistry(t, b))
}

// The archive that is made without an engine is read by podman, and goes to a registry with
// skopeo, as the documentation says.
func TestImageArchive(t *testing.T) {
	b := newBuildah(t)
	archive := release("first", "gym-otelcol-%s-linux-amd64.oci.tar")
	if _, err := os.Stat(archive); err != nil {
		t.Skip("there was no static busybox to make the image with")
	}
	startRegistry(t)
	out := b.run(t, `cd "$0"; `+guide{}.text(docs.Take(t, "docs/admin/install.md", "archive")), filepath.Dir(archive))
	want(t, out, "Loaded image: localhost/gym-otelcol:"+thisVersion)
	startsLikeEnroot(t, b, fromRegistry(t, b))
}

// startsLikeEnroot looks at the image's configuration, unpacks it and does what enroot and pyxis
// do: namespaces of an ordinary user, pivot_root, everything read-only, a fresh /tmp, a shell
// that runs /etc/rc and one that stops itself; then the collector's step of the job script.
func startsLikeEnroot(t *testing.T, b buildah, image string) {
	t.Helper()
	config := b.run(t, `buildah inspect --type image --format '{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} {{.OCIv1.Config.Labels}}' "$0"`, image)
	want(t, config, "10001:10001 [] map[", "org.opencontainers.image.version:"+thisVersion, "org.opencontainers.image.revision:"+commit)
	rootFS := filepath.Join(t.TempDir(), "rootfs")
	b.run(t, `c=$(buildah from --pull-never "$1"); m=$(buildah mount "$c"); cp -a "$m" "$0"; buildah umount "$c" >/dev/null; buildah rm "$c" >/dev/null
		printf 'mkdir -p "/tmp/a" && cd /tmp/a || exit 1\nexec "$@"\n' >"$0/etc/rc"; mkdir -p "$0/proc" "$0/sys" "$0/dev" "$0/tmp" "$0/run"; cp "$2" "$0/run/busybox"; cp /etc/hosts "$0/etc/hosts"
		chown -R 65534:65534 "$0"; chmod -R u+rwX "$0"; chmod 755 "$0" "$0/.." "$0/../.."`, rootFS, image, busybox())
	size := b.run(t, `du -sb "$0" | cut -f1`, rootFS)
	t.Logf("%s: %s bytes", image, size)
	if len(size) > 8 { // 100 MB have nine digits
		t.Errorf("the image has %s bytes, want less than 100 MB", size)
	}

	inside := func(script string) *exec.Cmd {
		cmd := exec.Command("unshare", "--user", "--map-current-user", "--keep-caps", "--mount", "--propagation", "private", "sh", "-euc", `
			mount --rbind "$0" "$0"
			for d in proc sys dev; do mount --rbind "/$d" "$0/$d"; done
			mount -t tmpfs tmpfs "$0/tmp"
			cp "$0/run/busybox" "$0/tmp/busybox"
			cd "$0" && pivot_root . . && cd /
			/tmp/busybox umount -l / && /tmp/busybox mount -o remount,bind,ro /
			exec /bin/sh /etc/rc /bin/sh -c "$1"`, rootFS, script)
		cmd.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		return cmd
	}
	out, err := inside(`! touch /x 2>/dev/null && touch /tmp/y && test -s /etc/ssl/certs/ca-certificates.crt && test "$PWD" = /tmp/a && env /usr/local/bin/gym-otelcol --version`).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want(t, string(out), thisVersion)

	stops := inside("kill -STOP $$; exit 0")
	if err := stops.Start(); err != nil {
		t.Fatal(err)
	}
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(stops.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Errorf("the shell did not stop itself as pyxis wants it to: %v, %v", status, err)
	}
	_ = stops.Process.Kill()
	_ = stops.Wait()

	collector := proc.Start(t, inside(`umask 077; ulimit -c 0; exec /usr/local/bin/gym-otelcol --config='yaml:{extensions: {health_check: {endpoint: "localhost:13133"}}, `+
		`receivers: {otlp: {protocols: {http: {endpoint: "localhost:4318"}}}}, exporters: {file: {path: /tmp/traces.jsonl}}, service: {extensions: [health_check], `+
		`telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [file]}}}}'`))
	collector.Serves(t, 30*time.Second, "http://localhost:13133/")
	response, err := http.Post("http://localhost:4318/v1/traces", "application/json", strings.NewReader(`{"resourceSpans": []}`)) //nolint:noctx // the collector answers or is killed
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, response.Body)
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Errorf("the collector answered %s", response.Status)
	}
	collector.Signal(t, syscall.SIGTERM)
	if code := collector.Wait(t, 30*time.Second); code != 0 {
		t.Errorf("the collector ended with code %d", code)
	}
}

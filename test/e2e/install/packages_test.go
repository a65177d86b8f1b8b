// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/docs"
)

// The deb is installed, upgraded and removed with dpkg in a Debian without Go. What the admin
// wrote into the site file survives all of it but the purge.
func TestDeb(t *testing.T) {
	tree := newTree(t)
	old := release("first", "gym-otelcol_%s_amd64.deb")
	tree.put(t, "/root/"+filepath.Base(old), old, 0o644)
	tree.put(t, "/root/new.deb", release("newer", "gym-otelcol_%s_amd64.deb"), 0o644)
	out := tree.run(t, "root", "! command -v go; cd /root\n"+guide{}.text(docs.Take(t, "docs/admin/install.md", "deb"))+`
		test "$(readlink -f /opt/gym-otelcol/etc/site.yaml)" = /etc/gym-otelcol/site.yaml
		gym-submit --version; gym-otelcol --version; gym-otelcol components | grep -q 'name: gym$'
		ls /usr/share/bash-completion/completions/gym-submit /usr/share/zsh/vendor-completions/_gym-submit
		dpkg -V gym-otelcol
		echo "# ours" >>/etc/gym-otelcol/site.yaml`)
	want(t, out, thisVersion+" (commit "+commit)

	// A collector that runs goes on while its file is replaced.
	out = tree.run(t, "root", `
		gym-otelcol --config='yaml:{receivers: {otlp: {protocols: {http: {endpoint: "localhost:0"}}}}, exporters: {file: {path: /tmp/x}}, service: {telemetry: {metrics: {level: none}}, pipelines: {traces: {receivers: [otlp], exporters: [file]}}}}' 2>/tmp/log &
		pid=$!
		for i in $(seq 100); do ! grep -q "Everything is ready" /tmp/log || break; sleep 0.1; done
		kill -0 $pid || { cat /tmp/log; exit 1; }
		DEBIAN_FRONTEND=noninteractive dpkg -i /root/new.deb
		kill -0 $pid; readlink /proc/$pid/exe; gym-submit --version
		kill $pid; wait $pid; echo "ended with $?"
		tail -n 1 /etc/gym-otelcol/site.yaml`)
	want(t, out, "gym-otelcol (deleted)", newer+" (commit", "ended with 0", "# ours")

	out = tree.run(t, "root", `dpkg -r gym-otelcol; ls /opt /usr/bin/gym-submit 2>&1 || :; cat /etc/gym-otelcol/site.yaml; dpkg --purge gym-otelcol; ls /etc/gym-otelcol 2>&1 || :`)
	want(t, out, "# ours", "cannot access '/usr/bin/gym-submit'", "cannot access '/etc/gym-otelcol'")
	if strings.Contains(out, "not empty") {
		t.Errorf("removing left something:\n%s", out)
	}
}

// The rpm is installed, upgraded and removed below a root of its own: Debian's rpm knows no
// other dependencies than the package's own, which has none.
func TestRPM(t *testing.T) {
	if _, err := exec.LookPath("rpm"); err != nil {
		t.Skip("rpm is not installed")
	}
	old, next := release("first", "gym-otelcol-%s-1.x86_64.rpm"), release("newer", "gym-otelcol-%s-1.x86_64.rpm")
	cmd := exec.Command("sh", "-euc", `
		rpm -qp --qf '%{NAME} %{VERSION} %{ARCH} %{LICENSE} %{BUILDHOST}\n' "$1"
		rpm -qp --configfiles "$1"
		rpm -qp --requires "$1" | grep -v '^rpmlib(' || :
		rpm() { command rpm --root "$0" --dbpath /db --ignoreos "$@"; }
		`+guide{}.text(docs.Take(t, "docs/admin/install.md", "rpm"))+`
		"$0/opt/gym-otelcol/bin/gym-submit" --version
		echo "# ours" >>"$0/etc/gym-otelcol/site.yaml"
		rpm -U "$2"
		"$0/opt/gym-otelcol/bin/gym-submit" --version
		tail -n 1 "$0/etc/gym-otelcol/site.yaml"
		command rpm --root "$0" --dbpath /db -e gym-otelcol
		ls "$0/opt/gym-otelcol" 2>&1 || :`, t.TempDir(), old, next)
	cmd.Dir = filepath.Dir(old)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want(t, string(out), "gym-otelcol "+thisVersion+" x86_64 Apache-2.0 localhost\n/etc/gym-otelcol/site.yaml",
		thisVersion+" (commit", newer+" (commit", "# ours", "No such file")
}

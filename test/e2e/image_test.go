// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/pyxis"
	"github.com/gym-otelcol/gym-otelcol/test/internal/siteca"
	"github.com/gym-otelcol/gym-otelcol/test/internal/slurmcluster"
)

// newImageSite is a private Slurm whose srun starts steps in images.
func newImageSite(t *testing.T) *slurmSite {
	t.Helper()
	return &slurmSite{slurmcluster.Start(t, slurmcluster.Options{Extra: []string{pyxis.Setting(t)}})}
}

// newImage is a root file system with bash and some of the test's programs.
func newImage(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	makeRoot := `cd "$1"
		mkdir -p bin etc usr/local/bin
		for program in bash sh date mkdir rm tee; do
			cp -L --parents $(ldd "$(type -P "$program")" | grep -o '/[^ ]*') .
			cp -L "$(type -P "$program")" bin/
		done
		echo PATH=/usr/local/bin:/usr/bin:/bin >etc/environment
		shift
		for name in "$@"; do cp "` + programs + `/$name" usr/local/bin/; done
		chmod 755 .`
	if out, err := exec.Command("bash", append([]string{"-euc", makeRoot, "bash", root}, names...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return root
}

// inImages are the overrides that put every step of a fixture's job into an image of its own.
func inImages(t *testing.T, f *fixture) []string {
	t.Helper()
	return []string{
		"services.policy.container=" + newImage(t, "vllm"), "services.policy.mounts=[" + f.dir + ":" + f.dir + "]",
		"driver.container=" + newImage(t, "driver"), "otel.container=" + newImage(t, "gym-otelcol"),
	}
}

// noted is a driver that notes when it ended.
const noted = `code=0
driver --engine http://localhost:8000 --model tiny --duration 2s --exit 7 || code=$?
echo "$EPOCHREALTIME" >driver-ended
exit $code`

// Every step in an image: the counters are exact, the token is nowhere, the code is the driver's.
func TestJobInImages(t *testing.T) {
	f := newFixture(t, newImageSite(t))
	f.Command = noted
	r := f.run(t, inImages(t, f)...)
	if r.codes["gpqa"] != 7 {
		t.Errorf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
	}
	finalCountersExact(t, f, r)
	tenantEverywhere(t, f)
	f.at.idle(t)
}

// The signals reach the steps in their images.
func TestJobInImagesIsStoppedInOrder(t *testing.T) {
	at := newImageSite(t)
	f := newFixture(t, at)
	f.Command = endless
	s := f.start(t, inImages(t, f)...)
	f.awaitLog(t, "starting the driver")
	awaitServed(t, f)
	if a := f.ask(t, "cancel", "--yes"); a.code != 0 {
		t.Errorf("cancel: %+v", a)
	}
	stoppedInOrder(t, f, f.finish(t, s), "stopping the driver")
}

// An ordinary user's images, each in a user namespace. The driver finds the token in no process.
func TestOrdinaryUsersJobInImages(t *testing.T) {
	at := newImageSite(t)
	f := newFixture(t, at)
	f.belongsTo(t, ordinaryUser, at)
	found := f.searchesForTheToken(t)
	images := inImages(t, f)
	for _, override := range images {
		if _, root, isImage := strings.Cut(override, "container="); isImage {
			giveTo(t, ordinaryUser, root)
		}
	}
	r := f.runAs(t, ordinaryUser, at, append(images, "driver.mounts=["+f.dir+":"+f.dir+"]")...)
	findsNoToken(t, found, r)
	tenantEverywhere(t, f)
	at.idle(t)
}

// giveTo makes an image somebody's own, and lets them through to it.
func giveTo(t *testing.T, user, root string) {
	t.Helper()
	if out, err := exec.Command("bash", "-euc", `chown -R "$0" "$1"; chmod 755 "$1/.."`, user, root).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// An image without a shell cannot be started by enroot.
func TestImageWithoutAShell(t *testing.T) {
	f := newFixture(t, newImageSite(t))
	overrides := inImages(t, f)
	empty := newImage(t, "gym-otelcol")
	if err := os.Remove(filepath.Join(empty, "bin", "sh")); err != nil {
		t.Fatal(err)
	}
	r := f.run(t, append(overrides, "otel.container="+empty)...)
	failedBeforeTheDriver(t, f, r, "has no shell")
	if strings.Contains(r.log, "starting policy") || !strings.Contains(failureOf(r.log), "otel.container") {
		t.Errorf("want the key named, and no service:\n%s", r.log)
	}
}

// The driver's step is started by bash. Slurm's own words name neither the image nor the key.
func TestDriversImageWithoutBash(t *testing.T) {
	f := newFixture(t, newImageSite(t))
	overrides := inImages(t, f)
	bare := newImage(t, "driver")
	if err := os.Remove(filepath.Join(bare, "bin", "bash")); err != nil {
		t.Fatal(err)
	}
	r := f.run(t, append(overrides, "driver.container="+bare)...)
	if r.codes["gpqa"] != 1 || !strings.Contains(failureOf(r.log), "driver.container: the image has no bash") {
		t.Errorf("the job ended with code %d:\n%s", r.codes["gpqa"], r.log)
	}
}

// An image of something else, given for the collector's.
func TestImageWithoutACollector(t *testing.T) {
	f := newFixture(t, newImageSite(t))
	failedBeforeTheDriver(t, f, f.run(t, append(inImages(t, f), "otel.container="+newImage(t))...), "otel.container: the image has no ")
}

// The collector in its image reads the site's files of the node.
func TestTokenFileAndAuthorityInAnImage(t *testing.T) {
	f := newFixture(t, newImageSite(t))
	authority, server := siteca.New(t)
	f.backend = ingest.Start(t, ingest.Options{Token: token, TLS: server})
	f.Otel["endpoint"], f.Otel["ca_file"] = f.backend.URL, authority
	tokenFile(t, f, 0o600)
	r := f.run(t, inImages(t, f)...)
	if r.codes["gpqa"] != 7 {
		t.Fatalf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
	}
	same(t, "metrics at the backend", itemsAtBackend(t, f, "metrics"), itemsInFile(t, r.dir, "metrics"))
	tenantEverywhere(t, f)
}

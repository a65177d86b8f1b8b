// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/delivery"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
	"github.com/gym-otelcol/gym-otelcol/test/docs"
	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// runFile is what the user of docs/admin/install.md submits.
const runFile = `services:
  policy: {type: vllm, container: null, model: Org/Tiny-0.1B, served_model_name: tiny, port: 8000}
compute:
  here: {type: local}
driver:
  container: null
  policy_model: policy
  benchmarks:
    gpqa: {command: driver --engine http://localhost:8000 --model tiny --until /home/alice/stop}
job: {output_path: /home/alice/runs}
otel: {gpu_metrics_port: null, node_metrics_port: null, scrape_interval_seconds: 1}
`

// In a Debian without Go an admin, who is not root, does what docs/admin/install.md says; an
// ordinary user submits a job; while it runs the admin does what docs/admin/upgrade.md says, and
// the job ends as if nothing had been.
func TestInstallSubmitUpgrade(t *testing.T) {
	tree := newTree(t)
	backend := ingest.Start(t, ingest.Options{Token: "secret"})
	prepareUsers(t, tree)
	in := guide{t: t, tree: tree, endpoint: backend.URL}
	want(t, tree.run(t, "alice", "command -v go || echo no Go"), "no Go")
	in.run("admin", docs.Take(t, "docs/admin/install.md", "admin"))
	job := proc.Start(t, tree.command("alice", "cd /home/alice\n"+in.text(docs.Take(t, "docs/admin/install.md", "user")), "HOME=/home/alice"))
	dir := awaitMetrics(t, tree, job)
	wantCollector(t, filepath.Join(dir, "job.sh"), "/shared/gym-otelcol/"+thisVersion+"/bin/gym-otelcol")
	triesSiteFile(t, in, docs.Take(t, "docs/admin/site-file.md", "user"))

	out := in.run("admin", docs.Take(t, "docs/admin/upgrade.md", "admin"))
	want(t, out, "current stays "+thisVersion, newer+" (commit", "kept /shared/gym-otelcol/etc/site.yaml",
		"current is "+newer+" (was "+thisVersion+")", "current is "+thisVersion+" (was "+newer+")")
	lines := len(strings.Split(readFile(t, filepath.Join(dir, "otel", "metrics.jsonl")), "\n"))
	wait.For(t, 30*time.Second, func() error {
		if now := len(strings.Split(readFile(t, filepath.Join(dir, "otel", "metrics.jsonl")), "\n")); now <= lines {
			return errors.New("nothing was scraped after the upgrade")
		}
		return nil
	})

	tree.write(t, "/home/alice/stop", "", 0o644)
	if code := job.Wait(t, time.Minute); code != 0 {
		t.Fatalf("the job ended with code %d\n%s", code, job.Output())
	}
	file, err := delivery.Load(filepath.Join(dir, "otel"))
	if err != nil {
		t.Fatal(err)
	}
	if m := file.Signals[otlpfile.Metrics]; m.Accepted == 0 || m.Delivered != m.Accepted {
		t.Errorf("of %d metric points %d were delivered", m.Accepted, m.Delivered)
	}

	// The next job has the new version, and nothing needs the old one any more.
	out = tree.run(t, "alice", "cd /home/alice; /shared/gym-otelcol/current/bin/gym-submit -c run.yaml 2>&1", "MY_SITE_TOKEN=secret")
	want(t, out, "gym-job-")
	scripts, _ := filepath.Glob(tree.path("/home/alice/runs/*/gpqa/job.sh"))
	if len(scripts) != 2 {
		t.Fatalf("there are jobs %v, want two", scripts)
	}
	wantCollector(t, scripts[1], "/shared/gym-otelcol/"+newer+"/bin/gym-otelcol")
	want(t, in.run("root", docs.Take(t, "docs/admin/upgrade.md", "root")), strings.TrimPrefix(scripts[0], tree.dir))
	want(t, in.run("admin", docs.Take(t, "docs/admin/upgrade.md", "after")), "removed /shared/gym-otelcol/"+thisVersion)
}

// The combined tarball finds the programs of this machine, and lets the node find the collector.
func TestSeveralArchitectures(t *testing.T) {
	tree := newTree(t)
	prepareUsers(t, tree)
	backend := ingest.Start(t, ingest.Options{Token: "secret"})
	out := tree.run(t, "admin", fmt.Sprintf("cd /home/admin; tar -xzf gym-otelcol-%[1]s-linux-multi.tar.gz; gym-otelcol-%[1]s-linux-multi/install.sh /shared/gym-otelcol", thisVersion))
	want(t, out, "installed /shared/gym-otelcol/"+thisVersion)
	tree.write(t, "/shared/gym-otelcol/etc/site.yaml", "otel: {endpoint: "+backend.URL+", service_name: s}\n", 0o644)
	tree.write(t, "/home/alice/stop", "", 0o644)
	out = tree.run(t, "alice", `cd /home/alice; ln -s /shared/gym-otelcol/current/bin/gym-submit mine; ./mine --version; ./mine -c run.yaml`, "OTEL_TOKEN=secret")
	want(t, out, thisVersion+" (commit", "gym-job-")
	scripts, _ := filepath.Glob(tree.path("/home/alice/runs/*/gpqa/job.sh"))
	if len(scripts) != 1 {
		t.Fatalf("there are jobs %v, want one", scripts)
	}
	wantCollector(t, scripts[0], "/shared/gym-otelcol/"+thisVersion+"/bin/{arch}/gym-otelcol")
	want(t, guide{t, tree, backend.URL}.run("root", docs.Take(t, "docs/admin/upgrade.md", "root")), strings.TrimPrefix(scripts[0], tree.dir))
	if len(backend.RequestsOf(ingest.Metrics)) == 0 {
		t.Error("the backend got no metrics")
	}
}

func prepareUsers(t *testing.T, tree debianTree) {
	t.Helper()
	tree.run(t, "root", "useradd -m admin; useradd -m alice; install -d -o admin /shared")
	for _, file := range []string{release("first", "gym-otelcol-%s-linux-amd64.tar.gz"), release("first", "gym-otelcol-%s-linux-multi.tar.gz"), release("newer", "gym-otelcol-%s-linux-amd64.tar.gz")} {
		tree.put(t, "/home/admin/"+filepath.Base(file), file, 0o644)
	}
	for _, program := range []string{"vllm", "driver"} {
		tree.put(t, "/usr/local/bin/"+program, filepath.Join(made, "bin", program), 0o755)
	}
	tree.write(t, "/home/alice/run.yaml", runFile, 0o644)
}

// awaitMetrics waits until the job's collector has written metrics of the engine.
func awaitMetrics(t *testing.T, tree debianTree, job *proc.Process) (dir string) {
	t.Helper()
	wait.For(t, time.Minute, func() error {
		select {
		case <-job.Done():
			t.Fatalf("the job ended\n%s", job.Output())
		default:
		}
		files, _ := filepath.Glob(tree.path("/home/alice/runs/*/gpqa/otel/metrics.jsonl"))
		if len(files) != 1 {
			return errors.New("there is no metrics.jsonl")
		}
		dir = filepath.Dir(filepath.Dir(files[0]))
		data, err := os.ReadFile(files[0])
		if err == nil && !strings.Contains(string(data), "vllm_num_requests_running") {
			err = errors.New("no metric of the engine was written")
		}
		return err
	})
	return dir
}

// triesSiteFile has the user validate with a site file of their own.
func triesSiteFile(t *testing.T, in guide, blocks []docs.Block) {
	t.Helper()
	in.tree.write(t, "/home/alice/site.yaml", "otel: {endpoint: "+in.endpoint+", service_nam: s}\n", 0o644)
	script := "cd /home/alice; PATH=/shared/gym-otelcol/current/bin:$PATH\n" + in.text(blocks)
	out, err := in.tree.command("alice", script).CombinedOutput()
	if err == nil {
		t.Errorf("a wrong key in the site file was not noticed: %s", out)
	}
	want(t, string(out), "/home/alice/site.yaml:1:", "service_nam")
	in.tree.write(t, "/home/alice/site.yaml", "otel: {endpoint: "+in.endpoint+", service_name: s}\n", 0o644)
	in.tree.run(t, "alice", script)
}

func wantCollector(t *testing.T, script, path string) {
	t.Helper()
	text := readFile(t, script)
	if !strings.Contains(text, "gym_collector_binary="+path+"\n") && !strings.Contains(text, "gym_collector_binary='"+path+"'\n") {
		t.Errorf("%s does not run %s", script, path)
	}
}

// guide runs the commands of docs/admin in the tree.
type guide struct {
	t        *testing.T
	tree     debianTree
	endpoint string
}

// text is what the blocks say, with this backend and these versions.
func (g guide) text(blocks []docs.Block) string {
	return strings.NewReplacer("https://otlp.example.com", g.endpoint, "0.2.0", newer, "0.1.0", thisVersion, "/shared/runs", "/home/alice/runs").Replace(docs.Text(blocks))
}

func (g guide) run(user string, blocks []docs.Block) string {
	g.t.Helper()
	return g.tree.run(g.t, user, "cd /home/admin\n"+g.text(blocks))
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/docs"
	"github.com/gym-otelcol/gym-otelcol/test/internal/proc"
	"github.com/gym-otelcol/gym-otelcol/test/internal/slurmcluster"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

const ordinaryConfig = `extensions: {health_check: {endpoint: "localhost:13133"}}
receivers: {otlp: {protocols: {http: {endpoint: "localhost:4318"}}}}
exporters: {file: {path: traces.jsonl}}
service:
  extensions: [health_check]
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [file]}}
`

// workshop runs commands of the repository's own documentation.
type workshop struct {
	dir string
	env []string
}

func (w workshop) command(script string) *exec.Cmd {
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir, cmd.Env = w.dir, append(os.Environ(), w.env...)
	return cmd
}

func (w workshop) run(t *testing.T, script string) string {
	t.Helper()
	out, err := w.command(script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

// commands are those of some blocks; there have to be as many.
func commands(t *testing.T, blocks []docs.Block, count int) (texts []string) {
	t.Helper()
	for _, b := range blocks {
		all, err := b.Commands()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			texts = append(texts, c.Text)
		}
	}
	if len(texts) != count {
		t.Fatalf("there are %d commands, the test knows %d: %q", len(texts), count, texts)
	}
	return texts
}

// The collector by hand, as its README says.
func TestOrdinaryCollector(t *testing.T) {
	w := workshop{t.TempDir(), []string{"PATH=" + builtPrograms(t) + ":" + os.Getenv("PATH")}}
	if err := os.WriteFile(filepath.Join(w.dir, "collector.yaml"), []byte(ordinaryConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	three := commands(t, docs.Take(t, "cmd/gym-otelcol/README.md", ""), 3)
	want(t, w.run(t, three[0]), "name: gym\n")
	w.run(t, three[1])
	collector := proc.Start(t, w.command("exec "+three[2]))
	collector.Serves(t, 30*time.Second, "http://localhost:13133/")
	if code := collector.Stop(t, 30*time.Second); code != 0 {
		t.Errorf("the collector ended with code %d", code)
	}
}

// The components' own tests and benchmarks, with fewer rounds than somebody takes who looks for
// something.
func TestComponents(t *testing.T) {
	w := workshop{dir: docs.Root(t)}
	fewer := func(blocks []docs.Block, from, to string) {
		text := docs.Text(blocks)
		if !strings.Contains(text, from) {
			t.Fatalf("%s does not say %s any more", blocks[0].File, from)
		}
		want(t, w.run(t, strings.Replace(text, from, to, 1)), "ok")
	}
	fewer(docs.Take(t, "components/gymprocessor/README.md", "bench"), "-benchtime 1s", "-benchtime 1x")
	fewer(docs.Take(t, "components/journalconnector/README.md", "model"), "GYM_SEQUENCES=10000", "GYM_SEQUENCES=20")
}

// What stands in for the rest of the world, each by hand.
func TestStandInsByHand(t *testing.T) {
	slurmcluster.Start(t, slurmcluster.Options{}) // skips where there is no Slurm
	dir := t.TempDir()
	w := workshop{dir: docs.Root(t)}
	blocks := docs.Take(t, "test/README.md", "")
	blocks[0].Text = strings.ReplaceAll(blocks[0].Text, "/tmp/", dir+"/")
	four := commands(t, blocks, 4)

	cluster := proc.Start(t, w.command("exec "+strings.TrimSuffix(four[0], "&")))
	environment := filepath.Join(dir, "slurm.env")
	var conf string
	wait.For(t, time.Minute, func() error {
		text, err := os.ReadFile(environment)
		conf, _ = strings.CutPrefix(strings.TrimSpace(string(text)), "export SLURM_CONF=")
		if err == nil && conf == "" {
			err = errors.New("it does not say SLURM_CONF yet")
		}
		return err
	})
	want(t, w.run(t, ". "+environment+"; sinfo"), "batch")
	if err := syscall.Kill(-cluster.PID(), syscall.SIGTERM); err != nil { // go run does not pass it on
		t.Fatal(err)
	}
	wait.For(t, time.Minute, func() error {
		if _, err := os.Stat(conf); err == nil {
			return errors.New(conf + " is still there")
		}
		return nil
	})

	backend := proc.Start(t, w.command("exec "+four[1]))
	backend.Line(t, time.Minute, "http://127.0.0.1:")

	w.run(t, four[2])
	engine := proc.Start(t, w.command("PATH="+dir+"/bin:$PATH exec vllm serve tiny --port 8000"))
	engine.Serves(t, time.Minute, "http://localhost:8000/health")
	want(t, w.run(t, four[3]), `"ok":10`)
}

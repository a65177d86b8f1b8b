// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package preflight

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/internal/config"
	"github.com/gym-otelcol/gym-otelcol/internal/run"
	"github.com/gym-otelcol/gym-otelcol/internal/version"
)

// answers is a machine whose commands print what the test says; the longest beginning counts.
type answers map[string]string

func (answers) Name() string { return "" }

func (a answers) Run(_ context.Context, args ...string) (stdout, stderr string, err error) {
	line, best := strings.Join(args, " "), ""
	for part := range a {
		if strings.Contains(line, part) && len(part) > len(best) {
			best = part
		}
	}
	if said, failed := strings.CutPrefix(a[best], "FAIL "); failed {
		return "", said, errors.New("exit status 1")
	}
	return a[best], "", nil
}

// well is a machine that has all that a job needs.
func well() answers {
	return answers{
		"mktemp":      "10485760\n/shared\n",
		"sinfo":       "batch|up\ngpu|up\n",
		"sacctmgr":    "eval\n",
		"--test-only": "",
		" components": components("gym", version.Version),
	}
}

func components(processor, release string) string {
	return fmt.Sprintf(`buildinfo: {version: %s}
receivers: [{name: prometheus}, {name: otlp}]
processors: [{name: resource}, {name: %s}]
connectors: [{name: journal}]
exporters: [{name: otlp_http}]
extensions: [{name: health_check}, {name: answer}, {name: prompt}]
`, release, processor)
}

const file = `services: {policy: {type: vllm, container: i, model: m, mounts: [/models]}}
compute: {east: {type: slurm, account: eval, node_pools: {p: {partition: gpu}}}}
driver: {container: null, benchmarks: {gpqa: {command: x}}}
job: {output_path: /shared/runs}
otel: {service_name: s, binary: /opt/gym-otelcol, endpoint: "%s"}
`

// look makes all checks and returns the findings by name.
func look(t *testing.T, m Machine, endpoint string) map[string]Finding {
	t.Helper()
	opt := config.Options{LookupEnv: func(name string) (string, bool) { return "good", name == "OTEL_TOKEN" }}
	cfg, err := config.Load([]config.Source{{Name: "run.yaml", Data: fmt.Appendf(nil, file, endpoint)}}, nil, opt)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := run.NewPlan(cfg, "gym-job-x", run.Submitter{User: "alice"})
	if err != nil {
		t.Fatal(err)
	}
	p := Preflight{Config: cfg, Options: opt, By: run.Submitter{User: "alice"}, Machine: m, Plan: plan}
	found := map[string]Finding{}
	for _, f := range p.Run(t.Context()) {
		if f.State == Failed && f.Do == "" {
			t.Errorf("%s says nothing of what to do: %s", f.Check, f.Says)
		}
		if strings.Contains(f.Says+f.Do, "good") {
			t.Errorf("%s shows the token: %s %s", f.Check, f.Says, f.Do)
		}
		found[f.Check] = f
	}
	return found
}

func wants(t *testing.T, found map[string]Finding, check string, state State, says string) {
	t.Helper()
	if f := found[check]; f.State != state || !strings.Contains(f.Says, says) {
		t.Errorf("%s: %s, %q, want %s, %q", check, f.State, f.Says, state, says)
	}
}

// backend answers 200 as OTLP does; strict ones look at the token and the tenant.
func backend(t *testing.T, strict bool) http.Handler {
	t.Helper()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		zipped, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		body, _ := io.ReadAll(zipped)
		if strict && (r.Header.Get("Authorization") != "Bearer good" || !bytes.Contains(body, []byte("\x04good"))) {
			w.WriteHeader(http.StatusUnauthorized)
		}
	})
}

func TestAllIsWell(t *testing.T) {
	server := httptest.NewServer(backend(t, true))
	defer server.Close()
	found := look(t, well(), server.URL)
	for name, f := range found {
		if f.State != OK {
			t.Errorf("%s: %s, %s", name, f.State, f.Says)
		}
	}
	wants(t, found, "token", OK, "status 200: the token in OTEL_TOKEN is accepted")
	wants(t, found, "control: bad token", OK, "is refused (status 401)")
	wants(t, found, "control: no tenant", OK, "is refused (status 401)")
	wants(t, found, "output path", OK, "/shared/runs can be made in /shared")
	wants(t, found, "endpoint", OK, "without TLS")
	if len(found) != 11 {
		t.Errorf("%d findings", len(found))
	}
}

// A backend that takes anything proves nothing by taking something.
func TestControlsThatAreNotRefused(t *testing.T) {
	server := httptest.NewServer(backend(t, false))
	defer server.Close()
	found := look(t, well(), server.URL)
	wants(t, found, "control: bad token", Warning, "status 200 for a token that does not exist, so a 200 proves nothing here")
	wants(t, found, "control: no tenant", Warning, "so a 200 proves nothing here")
}

func TestBackendsThatDoNotTake(t *testing.T) {
	for name, c := range map[string]struct {
		status      int
		check, says string
	}{
		"refused token":  {401, "token", "the token in OTEL_TOKEN is refused"},
		"no OTLP there":  {404, "endpoint", "nothing takes OTLP there"},
		"down":           {503, "token", "the backend does not take data: status 503"},
		"sent elsewhere": {302, "token", "redirects are not followed"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status) }))
			defer server.Close()
			wants(t, look(t, well(), server.URL), c.check, Failed, c.says)
		})
	}
	t.Run("a login page", func(t *testing.T) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }))
		defer server.Close()
		wants(t, look(t, well(), server.URL), "token", Failed, "not OTLP's")
	})
	t.Run("nobody", func(t *testing.T) {
		server := httptest.NewServer(nil)
		server.Close()
		wants(t, look(t, well(), server.URL), "endpoint", Failed, "cannot be reached from this machine")
	})
	t.Run("a certificate of nobody", func(t *testing.T) {
		server := httptest.NewTLSServer(backend(t, true))
		defer server.Close()
		wants(t, look(t, well(), server.URL), "endpoint", Failed, "certificate")
	})
}

// Of a connection with TLS it is said who vouches for the server, and until when.
func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(backend(t, true))
	defer server.Close()
	transport, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		t.Fatal("the default transport is another one")
	}
	trusted, _ := server.Client().Transport.(*http.Transport)
	transport.TLSClientConfig = trusted.TLSClientConfig
	defer func() { transport.TLSClientConfig = nil }()
	found := look(t, well(), server.URL)
	wants(t, found, "endpoint", OK, "TLS 1.3, certificate of O=Acme Co until ")
	wants(t, found, "token", OK, "is accepted")
}

func TestMachinesThatLackSomething(t *testing.T) {
	for name, c := range map[string]struct {
		change      answers
		check, says string
	}{
		"programs":       {answers{"command -v": "srun\nscancel\n"}, "programs", "srun, scancel not found"},
		"output path":    {answers{"mktemp": "FAIL mktemp: Permission denied"}, "output path", "/shared/runs cannot be written: mktemp: Permission denied"},
		"mount":          {answers{"[ -e \"$p\" ]": "/models\n"}, "mounts", "/models is not there"},
		"partition":      {answers{"sinfo": "batch|up\n"}, "partition", "there is no partition gpu"},
		"no cluster":     {answers{"sinfo": "FAIL Unable to contact slurm controller"}, "partition", "Slurm does not answer sinfo: Unable to contact"},
		"account":        {answers{"sacctmgr": "other\nthird\n"}, "account", "you have no right to the account eval"},
		"request":        {answers{"--test-only": "FAIL sbatch: error: Requested node configuration is not available"}, "request", "Requested node configuration is not available"},
		"collector":      {answers{" components": "FAIL env: /opt/gym-otelcol: No such file or directory"}, "collector", "/opt/gym-otelcol does not run: env: "},
		"stock":          {answers{" components": components("batch", "0.161.0")}, "collector", "/opt/gym-otelcol lacks the processor gym"},
		"not even a one": {answers{" components": "hello"}, "collector", "lacks the receiver prometheus, "},
	} {
		t.Run(name, func(t *testing.T) {
			m := well()
			maps.Copy(m, c.change)
			wants(t, look(t, m, "http://localhost:1"), c.check, Failed, c.says)
		})
	}
}

func TestNobodySaysWhatASilentSlurmThinks(t *testing.T) {
	m := well()
	for _, command := range []string{"sinfo", "sacctmgr", "--test-only"} {
		m[command] = "FAIL Unable to contact slurm controller"
	}
	found := look(t, m, "http://localhost:1")
	wants(t, found, "request", Skipped, "it does not answer")
	for _, f := range found {
		if f.Check == "account" || strings.Contains(f.Says, "would refuse") {
			t.Errorf("%+v", f)
		}
	}
}

func TestWhatIsNoFailure(t *testing.T) {
	m := well()
	m["sacctmgr"] = "FAIL You are not running a supported accounting_storage plugin"
	m["sinfo"] = "gpu|drain\n"
	m["mktemp"] = "2048\n/shared/runs\n"
	m[" components"] = components("gym", "0.0.9")
	found := look(t, m, "http://localhost:1")
	wants(t, found, "account", Skipped, "keeps no accounts that could be asked")
	wants(t, found, "partition", Warning, "partition gpu is drain")
	wants(t, found, "output path", Warning, "has only 2 MiB left")
	wants(t, found, "collector", Warning, "is gym-otelcol 0.0.9, this is gym-submit")
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/wait"
)

// tokenFile gives a fixture a token file and a backend that asks for its first content.
func tokenFile(t *testing.T, f *fixture, mode os.FileMode) (path string) {
	t.Helper()
	path = filepath.Join(f.dir, "token")
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	f.Otel["token_file"] = path
	f.Env = append(f.Env, "OTEL_TOKEN=")
	f.backend.SetToken(token)
	return path
}

// renew replaces the content in one step, as a good program does.
func renew(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	rename(t, path+".new", path)
}

func TestFaultTokenThatExpires(t *testing.T) {
	r := newRig(t)
	path := tokenFile(t, r.f, 0o600)
	r.start(t)
	r.mustSend(t, 10)
	r.awaitDelivered(t, 20*time.Second)

	// Renewed in time: the first refusal of the old token does not count.
	second := "second-" + canary
	renew(t, path, second, 0o600)
	r.f.backend.SetToken(second)
	r.mustSend(t, 10)
	r.awaitDelivered(t, 10*time.Second)
	r.collector.Line(t, 10*time.Second, "the token was renewed")
	if got := r.traces(t); got.LastError != nil {
		t.Errorf("the refusal of the old token counted: %+v", got.LastError)
	}

	// Not renewed in time, and what comes into the file at first is of no use.
	third := "third-" + canary
	r.f.backend.SetToken(third)
	renew(t, path, "", 0o600)
	r.mustSend(t, 10)
	r.collector.Line(t, 10*time.Second, "the endpoint refuses everything")
	r.collector.Line(t, 10*time.Second, path+": is blank")
	renew(t, path, third, 0o644)
	wait.For(t, 20*time.Second, func() error {
		if got := r.traces(t); got.Undelivered != 10 || got.LastError == nil || got.LastError.Status != 401 {
			return fmt.Errorf("delivery.json does not tell of the refusal: %+v", got)
		}
		return nil
	})
	renew(t, path, third[:9], 0o600) // a half of it
	r.collector.Line(t, 60*time.Second, "the token was renewed")
	renew(t, path, third+"\r\n", 0o600)
	r.awaitDelivered(t, 60*time.Second)
	r.stop(t)
	if got := r.traces(t); got.Accepted != 30 || got.Delivered != 30 {
		t.Errorf("traces: %+v, want all of it delivered", got)
	}
	sameTokenInHeaderAndAttribute(t, r.f.backend, token, second, third)
	for _, name := range []string{"delivery.json", "traces.jsonl"} {
		if strings.Contains(readFile(t, filepath.Join(r.dir, name)), canary) {
			t.Errorf("%s has the token in it", name)
		}
	}
	if strings.Contains(r.collector.Output(), canary) {
		t.Error("the log has the token in it")
	}
}

// sameTokenInHeaderAndAttribute looks at every request that was taken.
func sameTokenInHeaderAndAttribute(t *testing.T, backend *ingest.Server, tokens ...string) {
	t.Helper()
	seen := map[string]bool{}
	for _, request := range backend.Requests() {
		header, bearer := strings.CutPrefix(request.Authorization(), "Bearer ")
		if !bearer {
			t.Errorf("the header is %q", request.Authorization())
		}
		if request.Taken {
			seen[header] = true
		}
		for _, resource := range resources(t, string(request.Payload)) {
			for _, attribute := range resource.Attributes {
				if attribute.Key == "Authorization" && attribute.Value["stringValue"] != header {
					t.Errorf("the header has %q and the attribute %q", header, attribute.Value["stringValue"])
				}
			}
		}
	}
	for _, want := range tokens {
		if !seen[want] {
			t.Errorf("no request with %q was taken", want)
		}
	}
}

// A job whose submitting shell has no token, and its replay.
func TestTokenFileOfAJob(t *testing.T) {
	everySite(t, func(t *testing.T, at site) {
		f := newFixture(t, at)
		path := tokenFile(t, f, 0o600)
		f.backend.SetFaults(ingest.Faults{Signals: []ingest.Signal{ingest.Metrics}, Status: 503})
		r := f.run(t)
		if r.codes["gpqa"] != 7 {
			t.Fatalf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
		}
		noFileHolds(t, f.dir, canary, path)
		at.showsNothing(t, r.job, canary)
		if strings.Contains(r.log, canary) {
			t.Error("the token is in the job's log")
		}
		f.backend.SetFaults(ingest.Faults{})
		if err := os.Chmod(path, 0o640); err != nil {
			t.Fatal(err)
		}
		code, _, stderr := f.shell(t, "gym-submit replay "+r.dir)
		if code != 2 || !strings.Contains(stderr, path+": has mode 0640") || !strings.Contains(stderr, "--token-env") {
			t.Errorf("replay with a file that others read: code %d, %s", code, stderr)
		}
		if code, stdout, stderr := f.shell(t, "gym-submit replay --token-env OTHER "+r.dir, "OTHER="+token); code != 0 {
			t.Errorf("replay with --token-env: code %d\n%s%s", code, stdout, stderr)
		}
		if err := os.Chmod(path, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, stdout, stderr := f.shell(t, "gym-submit replay --all "+r.dir); code != 0 {
			t.Errorf("replay with the file: code %d\n%s%s", code, stdout, stderr)
		}
		same(t, "metrics at the backend", itemsAtBackend(t, f, "metrics"), itemsInFile(t, r.dir, "metrics"))
		sameTokenInHeaderAndAttribute(t, f.backend, token)
	})
}

// What the job's log says about a file that is of no use on the compute node.
func TestTokenFileThatOthersCanRead(t *testing.T) {
	f := newFixture(t, newSlurmSite(t))
	path := tokenFile(t, f, 0o644)
	r := f.run(t)
	if r.codes["gpqa"] != 1 || !strings.Contains(r.log, "otel.token_file on ") || !strings.Contains(r.log, "token file "+path+": has mode 0644") {
		t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
	}

	f = newFixture(t, &localSite{})
	path = tokenFile(t, f, 0o644)
	s := f.start(t)
	if code := s.exit(t); code != 2 || !strings.Contains(s.stderr.String(), "otel.token_file: token file "+path+": has mode 0644") {
		t.Errorf("a local run: code %d, %s", code, s.stderr.String())
	}
	nothingStaged(t, f)
}

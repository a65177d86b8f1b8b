// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
	"github.com/gym-otelcol/gym-otelcol/test/internal/siteca"
)

func TestSiteAuthority(t *testing.T) {
	f := newFixture(t, &localSite{})
	authority, server := siteca.New(t)
	f.backend = ingest.Start(t, ingest.Options{Token: token, TLS: server})
	f.Otel["endpoint"], f.Otel["ca_file"] = f.backend.URL, authority
	f.backend.SetFaults(ingest.Faults{Signals: []ingest.Signal{ingest.Metrics}, Status: 503})
	r := f.run(t)
	if r.codes["gpqa"] != 7 {
		t.Fatalf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
	}
	f.backend.SetFaults(ingest.Faults{})
	if code, stdout, stderr := f.shell(t, "gym-submit replay "+r.dir, "OTEL_TOKEN="+token); code != 0 {
		t.Errorf("replay: code %d\n%s%s", code, stdout, stderr)
	}
	same(t, "metrics at the backend", itemsAtBackend(t, f, "metrics"), itemsInFile(t, r.dir, "metrics"))
	rename(t, authority, authority+".away")
	code, _, stderr := f.shell(t, "gym-submit replay --all "+r.dir, "OTEL_TOKEN="+token)
	if code != 2 || !strings.Contains(stderr, "otel.ca_file of the run: "+authority+" cannot be read") {
		t.Errorf("replay without the authority: code %d, %s", code, stderr)
	}
}

// A certificate of somebody else's authority: nothing is sent, nothing is lost, and the log says why.
func TestFaultForeignAuthority(t *testing.T) {
	authority, _ := siteca.New(t)
	_, server := siteca.New(t)
	for name, known := range map[string]bool{"another authority": true, "the system's authorities": false} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.f.backend = ingest.Start(t, ingest.Options{TLS: server})
			r.f.Otel["endpoint"] = r.f.backend.URL
			if known {
				r.f.Otel["ca_file"] = authority
			}
			r.start(t)
			r.mustSend(t, 10)
			r.collector.Line(t, 20*time.Second, "the endpoint refuses everything")
			r.collector.Line(t, 20*time.Second, "certificate signed by unknown authority")
			r.stop(t)
			if got := r.traces(t); got.Undelivered != 10 || got.LastError.Class != "endpoint" || !strings.Contains(got.LastError.Message, "certificate") {
				t.Errorf("traces: %+v, last error %+v", got, got.LastError)
			}
			if n := len(r.f.backend.Requests()); n != 0 {
				t.Errorf("%d requests reached the backend", n)
			}
		})
	}
}

func TestAuthorityThatIsNotThere(t *testing.T) {
	f := newFixture(t, newSlurmSite(t))
	f.Otel["endpoint"], f.Otel["ca_file"] = "https://127.0.0.1:1", filepath.Join(f.dir, "none.pem")
	r := f.run(t)
	if r.codes["gpqa"] != 1 || !strings.Contains(r.log, "otel.ca_file: "+f.Otel["ca_file"]+" is not there") {
		t.Errorf("exit code %d\n%s", r.codes["gpqa"], r.log)
	}
}

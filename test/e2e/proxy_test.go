// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"slices"
	"sync"
	"testing"

	"github.com/gym-otelcol/gym-otelcol/test/internal/ingest"
)

// outside is this machine by an address that is not loopback, for which Go's HTTP client would ask no proxy.
const outside = "192.0.2.1"

// recordingProxy passes everything on and remembers which hosts it was asked for.
type recordingProxy struct {
	url   string
	mu    sync.Mutex
	hosts []string
}

func startProxy(t *testing.T) *recordingProxy {
	t.Helper()
	p := &recordingProxy{}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.URL = r.In.URL }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.hosts = append(p.hosts, r.Method+" "+r.Host)
		p.mu.Unlock()
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// asked are the different requests that came.
func (p *recordingProxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Compact(slices.Sorted(slices.Values(p.hosts)))
}

func (p *recordingProxy) environ(not string) []string {
	var env []string
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		env = append(env, name+"="+p.url)
	}
	return append(env, "no_proxy="+not, "NO_PROXY="+not)
}

// The way to the endpoint is the proxy's, and nothing else: no scrape, no health check, nothing on loopback.
func TestProxy(t *testing.T) {
	for name, c := range map[string]struct {
		listen, not string
		proxied     bool
	}{
		"endpoint elsewhere":           {outside + ":0", "", true},
		"endpoint elsewhere, no_proxy": {outside + ":0", outside, false},
		"endpoint on loopback":         {"127.0.0.1:0", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			everySite(t, func(t *testing.T, at site) {
				f := newFixture(t, at)
				f.backend = ingest.Start(t, ingest.Options{Listen: c.listen, Token: token})
				f.Otel["endpoint"], f.Otel["insecure"] = f.backend.URL, "true"
				f.Otel["gpu_metrics_port"] = replay(t, dcgmCapture)
				proxy := startProxy(t)
				f.Env = proxy.environ(c.not)
				r := f.run(t)
				if r.codes["gpqa"] != 7 {
					t.Fatalf("exit code %d, want the driver's 7\n%s", r.codes["gpqa"], r.log)
				}
				same(t, "metrics at the backend", itemsAtBackend(t, f, "metrics"), itemsInFile(t, r.dir, "metrics"))
				var want []string
				if c.proxied {
					want = []string{"POST " + f.backend.URL[len("http://"):]}
				}
				if got := proxy.asked(); !slices.Equal(got, want) {
					t.Errorf("during the job the proxy was asked for %q, want %q", got, want)
				}
				before := len(proxy.hosts)
				code, stdout, stderr := f.shell(t, "gym-submit replay --all "+r.dir, append(f.Env, "OTEL_TOKEN="+token)...)
				if code != 0 || (len(proxy.hosts) > before) != c.proxied || !slices.Equal(proxy.asked(), want) {
					t.Errorf("replay: code %d, %d requests through the proxy, %q\n%s%s", code, len(proxy.hosts)-before, proxy.asked(), stdout, stderr)
				}
			})
		})
	}
}

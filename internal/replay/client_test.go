// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"compress/gzip"
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

func post(ctx context.Context, endpoint string) result {
	return newClient(Job{Endpoint: endpoint, Token: "canary-4711"}, 5*time.Second).post(ctx, otlpfile.Logs, []byte("body"))
}

// A redirect is followed to the same address alone, with the request as it was.
func TestRedirects(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		to     string
		want   class
	}{
		"moved within":            {http.StatusTemporaryRedirect, "/elsewhere", classOK},
		"moved for ever":          {http.StatusPermanentRedirect, "/elsewhere", classOK},
		"to itself":               {http.StatusTemporaryRedirect, "/v1/logs", classEndpoint},
		"loses the content":       {http.StatusFound, "/elsewhere", classEndpoint},
		"to another server":       {http.StatusTemporaryRedirect, "http://127.0.0.1:1/elsewhere", classEndpoint},
		"to another scheme":       {http.StatusPermanentRedirect, "https://HOST/elsewhere", classEndpoint},
		"with the token, nowhere": {http.StatusTemporaryRedirect, "http://canary-4711.example.org", classEndpoint},
		"no address":              {http.StatusTemporaryRedirect, "http://[", classEndpoint},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/elsewhere" {
					w.Header().Set("Location", strings.ReplaceAll(c.to, "HOST", r.Host))
					w.WriteHeader(c.status)
					return
				}
				unzipped, err := gzip.NewReader(r.Body)
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(unzipped)
				if err != nil || string(body) != "body" || r.Header.Get("Authorization") != "Bearer canary-4711" {
					t.Errorf("%q, %v, %v", body, r.Header, err)
				}
			}))
			defer server.Close()
			got := post(t.Context(), server.URL)
			if got.class != c.want || strings.Contains(got.message, "canary") {
				t.Errorf("%+v", got)
			}
		})
	}
}

// What is wrong with the connection itself does not pass by waiting.
func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	if got := post(t.Context(), server.URL); got.class != classEndpoint || !strings.Contains(got.message, "certificate") {
		t.Errorf("an unknown authority: %+v", got)
	}
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	if got := post(t.Context(), strings.Replace(plain.URL, "http", "https", 1)); got.class != classEndpoint {
		t.Errorf("no TLS at all: %+v", got)
	}
}

func TestInterruptedAttempt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := post(ctx, "http://127.0.0.1:1"); got.class != classInterrupted {
		t.Errorf("%+v", got)
	}
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package answerextension

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/extension/extensiontest"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/gym-otelcol/gym-otelcol/components/internal/answer"
)

const canary = `a$b${HOME}c$$d 'e"<&>`

// ask sends one request through the middleware to a server.
func ask(t *testing.T, serve http.HandlerFunc) (*http.Response, *answer.Answer, error) {
	t.Helper()
	return askBy(t, &middleware{}, serve)
}

func askBy(t *testing.T, by *middleware, serve http.HandlerFunc) (*http.Response, *answer.Answer, error) {
	t.Helper()
	server := httptest.NewServer(serve)
	t.Cleanup(server.Close)
	wrap, err := by.GetHTTPRoundTripper(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	transport, err := wrap(context.Background(), http.DefaultTransport)
	if err != nil {
		t.Fatal(err)
	}
	ctx, told := answer.With(t.Context())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/traces", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+canary)
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err == nil {
		t.Cleanup(func() { _ = response.Body.Close() })
	}
	return response, told, err
}

func TestTokenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "token")
	renew := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	set := extensiontest.NewNopSettings(NewFactory().Type())
	made, err := NewFactory().Create(t.Context(), set, &Config{TokenFile: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := made.Start(t.Context(), nil); err == nil || !strings.Contains(err.Error(), path+": is not there") {
		t.Fatalf("it starts without a token: %v", err)
	}
	renew("first")
	if err := made.Start(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = made.Shutdown(t.Context()) }()
	serve := func(w http.ResponseWriter, r *http.Request) {
		switch r.Header.Get("Authorization") {
		case "Bearer first":
			renew("second")
			http.Error(w, "first has expired", http.StatusUnauthorized)
		case "Bearer second":
		default:
			http.Error(w, "no token", http.StatusTeapot)
		}
	}
	response, told, err := askBy(t, made.(*middleware), serve)
	if err != nil || response.StatusCode != http.StatusUnauthorized || !told.Renewed || strings.Contains(told.Message, "first") {
		t.Errorf("with the old token: %v %v %+v", response, err, told)
	}
	response, told, err = askBy(t, made.(*middleware), serve)
	if err != nil || response.StatusCode != http.StatusOK || told.Renewed {
		t.Errorf("with the new token: %v %v %+v", response, err, told)
	}
}

func TestTokenFileHasToBeAbsolute(t *testing.T) {
	if err := (&Config{TokenFile: "token"}).Validate(); err == nil {
		t.Error("a relative path is taken")
	}
}

func TestSuccess(t *testing.T) {
	partial := ptraceotlp.NewExportResponse()
	partial.PartialSuccess().SetRejectedSpans(3)
	partial.PartialSuccess().SetErrorMessage("too many of " + canary)
	proto, err := partial.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	text, err := partial.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kind     string
		body     string
		rejected int64
		wrong    string
	}{
		"empty":              {"application/x-protobuf", "", 0, ""},
		"empty, no type":     {"", "", 0, ""},
		"partial":            {"application/x-protobuf", string(proto), 3, ""},
		"partial as JSON":    {"application/json; charset=utf-8", string(text), 3, ""},
		"a login page":       {"text/html", "<html>Please log in.</html>", 0, "text/html"},
		"not what it claims": {"application/x-protobuf", "\xff\xff\xff", 0, "not OTLP"},
	} {
		t.Run(name, func(t *testing.T) {
			response, told, err := ask(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				_, _ = io.WriteString(w, c.body)
			})
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) || told.Status != 200 {
					t.Errorf("status %d, error %v, want %q", told.Status, err, c.wrong)
				}
				return
			}
			if err != nil || told.Rejected != c.rejected || strings.Contains(told.Message, canary) {
				t.Fatalf("%+v, %v", told, err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || len(body) != len(c.body) || strings.Contains(string(body), canary) {
				t.Errorf("the exporter reads %q, %v", body, err)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	var reached []string
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		reached = append(reached, r.Header.Get("Authorization"))
	}))
	defer other.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		_, told, err := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", other.URL+"/v1/traces?"+url.QueryEscape(canary))
			w.WriteHeader(status)
		})
		if !errors.Is(err, answer.ErrRedirect) || !strings.Contains(err.Error(), other.URL) || told.Status != status {
			t.Errorf("%d: %v", status, err)
		}
	}
	if len(reached) != 0 {
		t.Errorf("the other server was reached with %q", reached)
	}
	if _, _, err := ask(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			w.Header().Set("Location", "/otlp/v1/traces")
			w.WriteHeader(http.StatusPermanentRedirect)
		}
	}); err != nil {
		t.Errorf("a redirect at the same address that repeats the request: %v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": 0, "7": 7 * time.Second, "-1": 0, "soon": 0, "99999999999": time.Hour, "9999999": time.Hour,
		time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(http.Header{"Retry-After": {value}}); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

// Whatever form a server repeats the token in, it is not passed on.
func TestTokenIsBlanked(t *testing.T) {
	quoted, err := json.Marshal(canary)
	if err != nil {
		t.Fatal(err)
	}
	var plain strings.Builder
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(canary); err != nil {
		t.Fatal(err)
	}
	said := []string{canary, string(quoted), plain.String(), url.QueryEscape(canary), url.PathEscape(canary)}
	for lead := range 3 {
		text := strings.Repeat("x", lead) + canary
		said = append(said, base64.StdEncoding.EncodeToString([]byte(text)), base64.URLEncoding.EncodeToString([]byte(text)))
	}
	for _, form := range said {
		response, told, err := ask(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, "you sent %s!", form)
		})
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || len(body) != len("you sent !")+len(form) || told.Status != 401 {
			t.Errorf("%q, %v", body, err)
		}
		const visible = 4 // what surrounds the token's own characters in base64
		if stars := strings.Count(string(body), "*"); stars < len(strings.Trim(form, "\"\n="))-visible {
			t.Errorf("of %q %q is left", form, body)
		}
		if told.Message != string(body) {
			t.Errorf("the message is %q", told.Message)
		}
	}
}

// A server that speaks no HTTP is quoted by the client.
func TestTokenInAnErrorIsBlanked(t *testing.T) {
	_, _, err := ask(t, func(w http.ResponseWriter, _ *http.Request) {
		connection, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(connection, "HTTP/1.1 "+canary+"\r\n\r\n")
		_ = connection.Close()
	})
	if err == nil || strings.Contains(err.Error(), "${HOME}") {
		t.Errorf("%v", err)
	}
}

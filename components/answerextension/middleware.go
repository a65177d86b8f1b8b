// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package answerextension // import "github.com/gym-otelcol/gym-otelcol/components/answerextension"

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/extension/extensionmiddleware"
	"go.uber.org/zap"

	"github.com/gym-otelcol/gym-otelcol/components/internal/answer"
	"github.com/gym-otelcol/gym-otelcol/components/internal/token"
)

type middleware struct {
	log  *zap.Logger
	file *token.File // nil: the client has the token
}

var _ extensionmiddleware.HTTPClient = (*middleware)(nil)

// Start fails without a token: nothing else of the collector has started then.
func (m *middleware) Start(context.Context, component.Host) error {
	if m.file == nil {
		return nil
	}
	return m.file.Open(m.log)
}

// Shutdown leaves the token in place: the last requests are still to come.
func (m *middleware) Shutdown(context.Context) error {
	if m.file != nil {
		m.file.Close()
	}
	return nil
}

// GetHTTPRoundTripper implements extensionmiddleware.HTTPClient.
func (m *middleware) GetHTTPRoundTripper(context.Context) (extensionmiddleware.WrapHTTPRoundTripperFunc, error) {
	return func(_ context.Context, next http.RoundTripper) (http.RoundTripper, error) {
		return roundTripper{next, m.file}, nil
	}, nil
}

type roundTripper struct {
	next http.RoundTripper
	file *token.File
}

// maxBody is as much of an answer as the exporter reads.
const maxBody = 64 << 10

// RoundTrip sends a request and judges the answer.
func (t roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	told := answer.From(request.Context())
	if t.file != nil {
		request = request.Clone(request.Context())
		request.Header.Set("Authorization", "Bearer "+t.file.For(request.Context()))
	}
	response, err := t.next.RoundTrip(request)
	if err != nil {
		return nil, blankError(err, request.Header)
	}
	told.Status = response.StatusCode
	told.RetryAfter = retryAfter(response.Header)
	if t.file != nil && (told.Status == http.StatusUnauthorized || told.Status == http.StatusForbidden) {
		told.Renewed = t.file.Renewed(told.Token)
	}
	if err := checkRedirect(request, response); err != nil {
		_ = response.Body.Close() // nobody reads it
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxBody))
	_ = response.Body.Close() // what counts was read
	if err != nil {
		return nil, fmt.Errorf("read the answer with status %d: %w", response.StatusCode, err)
	}
	body = blankToken(body, request.Header)
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	if response.StatusCode < http.StatusOK || response.StatusCode >= http.StatusMultipleChoices {
		told.Message = words(response.Header, body)
		return response, nil
	}
	if len(body) == 0 {
		return response, nil
	}
	if err := checkSuccess(request.URL.Path, response, body, told); err != nil {
		return nil, err
	}
	// Decoded it may be spelled in yet another way.
	told.Message = string(blankToken([]byte(told.Message), request.Header))
	return response, nil
}

// checkRedirect lets only a redirect pass that stays at the same address and repeats the request as it was.
func checkRedirect(request *http.Request, response *http.Response) error {
	if response.StatusCode < 300 || response.StatusCode > 399 {
		return nil
	}
	target, err := url.Parse(response.Header.Get("Location"))
	if err != nil {
		return fmt.Errorf("%w: status %d with an address that is none", answer.ErrRedirect, response.StatusCode)
	}
	target = request.URL.ResolveReference(target)
	sameRequest := response.StatusCode == http.StatusTemporaryRedirect || response.StatusCode == http.StatusPermanentRedirect
	if sameRequest && target.Scheme == request.URL.Scheme && target.Host == request.URL.Host {
		return nil
	}
	shown := blankToken([]byte(target.Scheme+"://"+target.Host), request.Header)
	return fmt.Errorf("%w: status %d sends to %s; is otel.endpoint right?", answer.ErrRedirect, response.StatusCode, shown)
}

// checkSuccess reads a success: only OTLP is one.
func checkSuccess(path string, response *http.Response, body []byte, told *answer.Answer) error {
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || (kind != "application/x-protobuf" && kind != "application/json") {
		return fmt.Errorf("status %d with content type %q, which is not OTLP's: something else than the backend answered",
			response.StatusCode, response.Header.Get("Content-Type"))
	}
	// The exporter compares this text as a whole, so a charset would hide the content from it.
	response.Header.Set("Content-Type", kind)
	told.Rejected, told.Message, err = partialSuccess(path, kind, body)
	if err != nil {
		return fmt.Errorf("status %d with an answer that is not OTLP: %w", response.StatusCode, err)
	}
	return nil
}

// retryAfter reads the header of that name, in seconds or as a date.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds > 0 {
		return min(time.Duration(min(seconds, 3600))*time.Second, time.Hour)
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date))
	}
	return 0
}

// words are what a server says in a refusal, if it is text for people.
func words(header http.Header, body []byte) string {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if kind != "text/plain" && kind != "application/json" {
		return ""
	}
	const enough = 300
	return strings.ToValidUTF8(strings.TrimSpace(string(body[:min(len(body), enough)])), "")
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/gym-otelcol/gym-otelcol/internal/blank"
	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// class says whose fault a failed attempt is, which decides what happens next.
type class string

const (
	classOK          class = "ok"
	classTransient   class = "transient" // it will pass
	classEndpoint    class = "endpoint"  // token, address or certificate: no request would fare better
	classData        class = "data"      // this request, or something in it
	classDisk        class = "disk"      // the file cannot be read
	classInterrupted class = "interrupted"
)

// result is the outcome of one attempt.
type result struct {
	class      class
	status     int
	rejected   int64
	retryAfter time.Duration
	message    string // without the token
}

// client makes single attempts.
type client struct {
	http     *http.Client
	endpoint string
	token    string
	zipped   bytes.Buffer
	zip      *gzip.Writer
}

func newClient(job Job, timeout time.Duration) *client {
	zip, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed)    // the level is one
	transport := http.DefaultTransport.(*http.Transport).Clone() // with the proxies of the environment
	if job.Authorities != nil {
		transport.TLSClientConfig = &tls.Config{RootCAs: job.Authorities}
	}
	return &client{
		http:     &http.Client{Timeout: timeout, CheckRedirect: sameOrigin, Transport: transport},
		endpoint: job.Endpoint, token: job.Token, zip: zip,
	}
}

// sameOrigin follows only a redirect that repeats the request at the same address: any other would carry the
// token away, or lose the data.
func sameOrigin(next *http.Request, before []*http.Request) error {
	from := before[len(before)-1].URL
	if len(before) > 5 || next.Method != http.MethodPost || next.URL.Scheme != from.Scheme || next.URL.Host != from.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// post sends one request.
func (c *client) post(ctx context.Context, signal otlpfile.Signal, body []byte) result {
	if err := c.compress(body); err != nil {
		return result{class: classData, message: err.Error()}
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint+"/v1/"+string(signal), bytes.NewReader(c.zipped.Bytes()))
	if err != nil {
		return result{class: classEndpoint, message: err.Error()}
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("Content-Encoding", "gzip")
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("User-Agent", "gym-submit")
	response, err := c.http.Do(request)
	if err != nil {
		return c.failed(ctx, err)
	}
	defer func() { _ = response.Body.Close() }() // what counts was read
	const enough = 64 << 10
	text, err := io.ReadAll(io.LimitReader(response.Body, enough))
	if err != nil {
		return c.failed(ctx, fmt.Errorf("read the answer with status %d: %w", response.StatusCode, err))
	}
	r := judge(signal, response, blank.Token(text, c.token))
	r.message = string(blank.Token([]byte(r.message), c.token))
	return r
}

func (c *client) compress(body []byte) error {
	c.zipped.Reset()
	c.zip.Reset(&c.zipped)
	_, err := c.zip.Write(body)
	return errors.Join(err, c.zip.Close())
}

// failed judges a request that got no answer.
func (c *client) failed(ctx context.Context, err error) result {
	r := result{class: classTransient, message: string(blank.Token([]byte(err.Error()), c.token))}
	switch {
	case ctx.Err() != nil:
		r.class = classInterrupted
	case aboutTLS(err), strings.Contains(err.Error(), "failed to parse Location header"):
		r.class = classEndpoint
	}
	return r
}

func aboutTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		authority    x509.UnknownAuthorityError
		name         x509.HostnameError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &authority) || errors.As(err, &name) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

var tooOld = regexp.MustCompile(`(?i)out.of.order|too.old|out.of.bounds|too far in the past`)

// reasonOf says why an item was refused, in one word.
func reasonOf(r result) string {
	if tooOld.MatchString(r.message) {
		return "too_old"
	}
	return "rejected"
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package journalconnector // import "github.com/gym-otelcol/gym-otelcol/components/journalconnector"

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"

	"github.com/gym-otelcol/gym-otelcol/components/internal/answer"
)

// class says whose fault a failed attempt is, which decides what happens next.
type class string

const (
	classOK          class = "ok"
	classTransient   class = "transient" // it will pass: try again, less and less often
	classEndpoint    class = "endpoint"  // token, address or certificate: no batch would fare better
	classData        class = "data"      // this batch, or something in it
	classDisk        class = "disk"      // the file cannot be read
	classInterrupted class = "interrupted"
)

// result is the outcome of one attempt.
type result struct {
	class      class
	status     int
	rejected   int64
	retryAfter time.Duration
	renewed    bool // the token was refused, and there is another one by now
	message    string
}

// classify judges an attempt by the backend's answer. Without the middleware that passes it on, the status is
// read from the exporter's text.
func classify(ctx context.Context, err error, a *answer.Answer) result {
	if err == nil {
		return result{class: classOK, status: a.Status, rejected: a.Rejected, message: a.Message}
	}
	r := result{class: classTransient, status: a.Status, retryAfter: a.RetryAfter, renewed: a.Renewed, message: err.Error()}
	if a.Message != "" {
		r.message += ": " + a.Message
	}
	if r.status == 0 {
		r.status = statusIn(r.message)
	}
	switch {
	case ctx.Err() != nil:
		r.class = classInterrupted
	case errors.Is(err, answer.ErrRedirect) || aboutTLS(err):
		r.class = classEndpoint
	case r.status != 0:
		r.class = classOf(r.status)
	case consumererror.IsPermanent(err):
		r.class = classData // it could not even be encoded
	}
	return r
}

func classOf(status int) class {
	switch status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return classData
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		return classTransient
	}
	if status >= 300 && status < 500 {
		return classEndpoint
	}
	return classTransient // 5xx, and 2xx with something that is no answer
}

func aboutTLS(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		authority    x509.UnknownAuthorityError
		name         x509.HostnameError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &authority) || errors.As(err, &name)
}

var statusText = regexp.MustCompile(`HTTP Status Code (\d{3})`)

func statusIn(message string) int {
	if found := statusText.FindStringSubmatch(message); found != nil {
		status, _ := strconv.Atoi(found[1]) // three digits are a number
		return status
	}
	return 0
}

var tooOld = regexp.MustCompile(`(?i)out.of.order|too.old|out.of.bounds|too far in the past`)

// reasonOf says why an item was refused, in one word.
func reasonOf(r result) string {
	if tooOld.MatchString(r.message) {
		return "too_old"
	}
	return "rejected"
}

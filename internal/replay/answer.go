// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/gym-otelcol/gym-otelcol/internal/otlpfile"
)

// judge reads an answer. Its text holds no token any more.
func judge(signal otlpfile.Signal, response *http.Response, text []byte) result {
	r := result{class: classOf(response.StatusCode), status: response.StatusCode, retryAfter: retryAfter(response.Header)}
	switch {
	case r.class == classOK:
		r.judgeSuccess(signal, response.Header, text)
	case r.status >= 300 && r.status < 400:
		r.message = fmt.Sprintf("status %d sends to %s, and redirects are not followed with the token: is the endpoint right?", r.status, target(response))
	default:
		r.message = fmt.Sprintf("status %d %s", r.status, http.StatusText(r.status))
		if said := words(response.Header, text); said != "" {
			r.message += ": " + said
		}
	}
	return r
}

func classOf(status int) class {
	switch {
	case status >= 200 && status < 300:
		return classOK
	case status == http.StatusBadRequest, status == http.StatusRequestEntityTooLarge, status == http.StatusUnprocessableEntity:
		return classData
	case status == http.StatusRequestTimeout, status == http.StatusTooManyRequests:
		return classTransient
	case status >= 300 && status < 500:
		return classEndpoint
	}
	return classTransient
}

// judgeSuccess believes a success only when it is OTLP: a login page comes with 200 too.
func (r *result) judgeSuccess(signal otlpfile.Signal, header http.Header, text []byte) {
	if len(text) == 0 {
		return
	}
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	switch {
	case err == nil && kind == "application/x-protobuf":
		r.rejected, r.message, err = partialProto(text)
	case err == nil && kind == "application/json":
		r.rejected, r.message, err = partialJSON(signal, text)
	default:
		err = fmt.Errorf("content type %q is not OTLP's: something else than the backend answered", header.Get("Content-Type"))
	}
	if err != nil {
		r.class, r.message = classTransient, fmt.Sprintf("status %d, but %v", r.status, err)
	}
}

var errAnswer = errors.New("the answer is not OTLP")

// partialProto reads an export response: in field 1, how many items were rejected (1) and why (2). It is the
// same for all signals.
func partialProto(text []byte) (rejected int64, message string, err error) {
	err = fields(text, func(number protowire.Number, _ uint64, inner []byte) error {
		if number != 1 {
			return nil
		}
		return fields(inner, func(number protowire.Number, value uint64, text []byte) error {
			switch number {
			case 1:
				rejected = max(0, int64(value)) //nolint:gosec // what is negative wraps back, and counts as none
			case 2:
				message = string(text)
			}
			return nil
		})
	})
	return rejected, message, err
}

// fields goes over the fields of a message.
func fields(message []byte, visit func(number protowire.Number, value uint64, text []byte) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errAnswer
		}
		message = message[n:]
		var (
			value uint64
			text  []byte
		)
		switch kind {
		case protowire.VarintType:
			value, n = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			text, n = protowire.ConsumeBytes(message)
		default:
			n = protowire.ConsumeFieldValue(number, kind, message)
		}
		if n < 0 {
			return errAnswer
		}
		if err := visit(number, value, text); err != nil {
			return err
		}
		message = message[n:]
	}
	return nil
}

func partialJSON(signal otlpfile.Signal, text []byte) (rejected int64, message string, err error) {
	var answer struct {
		Partial map[string]any `json:"partialSuccess"`
	}
	if json.Unmarshal(text, &answer) != nil {
		return 0, "", errAnswer
	}
	key := map[otlpfile.Signal]string{otlpfile.Metrics: "rejectedDataPoints", otlpfile.Traces: "rejectedSpans", otlpfile.Logs: "rejectedLogRecords"}[signal]
	switch n := answer.Partial[key].(type) { // 64 bits are text in protobuf's JSON
	case string:
		if rejected, err = strconv.ParseInt(n, 10, 64); err != nil {
			return 0, "", errAnswer
		}
	case float64:
		rejected = int64(n)
	}
	message, _ = answer.Partial["errorMessage"].(string)
	return max(0, rejected), message, nil
}

// maxRetryAfter bounds what a backend can ask for.
const maxRetryAfter = time.Minute

// retryAfter reads the header of that name, in seconds or as a date.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(max(0, min(seconds, 60))) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, min(time.Until(date), maxRetryAfter))
	}
	return 0
}

// target is where a redirect leads, without the parts that may hold anything.
func target(response *http.Response) string {
	to, err := url.Parse(response.Header.Get("Location"))
	if err != nil {
		return "an address that is none"
	}
	to = response.Request.URL.ResolveReference(to)
	return to.Scheme + "://" + to.Host
}

// words are what a server says in a refusal, if it is text for people.
func words(header http.Header, text []byte) string {
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if kind != "text/plain" && kind != "application/json" {
		return ""
	}
	const enough = 300
	return strings.ToValidUTF8(strings.TrimSpace(string(text[:min(len(text), enough)])), "")
}

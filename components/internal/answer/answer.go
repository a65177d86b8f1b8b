// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package answer carries what a backend answered from the HTTP client, which sees it, to the journal, which
// has to know: the exporter between them tells only whether it failed.
package answer // import "github.com/gym-otelcol/gym-otelcol/components/internal/answer"

import (
	"context"
	"errors"
	"time"
)

// Answer of a backend to one request. Nobody reads it before the request has ended.
type Answer struct {
	Status     int           // 0: there was none
	RetryAfter time.Duration // 0: not told
	Rejected   int64         // items, of a partial success
	Message    string        // the server's own words, without the token

	// Token is the one that the request carries, when it comes from a file: it may be renewed in between.
	Token string
	// Renewed says that the backend refused this token, and that the file has another one by now.
	Renewed bool
}

// ErrRedirect is a redirect that is not followed.
var ErrRedirect = errors.New("redirects are not followed")

type key struct{}

// With returns a context for one request and the place where its answer will be.
func With(ctx context.Context) (context.Context, *Answer) {
	a := &Answer{}
	return context.WithValue(ctx, key{}, a), a
}

// From returns that place, or one that nobody looks at.
func From(ctx context.Context) *Answer {
	if a, ok := ctx.Value(key{}).(*Answer); ok {
		return a
	}
	return &Answer{}
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package ingest

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
)

var errEncoding = errors.New("content encoding is neither gzip nor none")

// read takes a request's body apart.
func read(r *http.Request, signal Signal) (content payload, asJSON bool, err error) {
	if asJSON, err = isJSON(r.Header); err != nil {
		return nil, false, err
	}
	body, err := plain(r)
	if err != nil {
		return nil, asJSON, err
	}
	content, err = decode(signal, body, asJSON)
	return content, asJSON, err
}

// plain undoes the compression.
func plain(r *http.Request) ([]byte, error) {
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "", "identity":
		return io.ReadAll(r.Body)
	case "gzip":
		unzipped, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(unzipped)
	default:
		return nil, fmt.Errorf("%w: %q", errEncoding, encoding)
	}
}

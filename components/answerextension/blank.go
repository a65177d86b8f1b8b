// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package answerextension // import "github.com/gym-otelcol/gym-otelcol/components/answerextension"

import (
	"errors"
	"net/http"
	"strings"

	"github.com/gym-otelcol/gym-otelcol/internal/blank"
)

// blankToken overwrites the request's credentials wherever a server repeats them.
func blankToken(text []byte, request http.Header) []byte {
	for _, value := range request.Values("Authorization") {
		_, token, found := strings.Cut(value, " ")
		if !found {
			token = value
		}
		text = blank.Token(text, token)
	}
	return text
}

// blankError is for errors that quote what a server sent, such as a line that is no HTTP.
func blankError(err error, request http.Header) error {
	text := err.Error()
	if blanked := string(blankToken([]byte(text), request)); blanked != text {
		return errors.New(blanked)
	}
	return err
}

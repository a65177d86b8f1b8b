// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package blank removes a token from a text that somebody else wrote: servers repeat what they were sent.
package blank

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
)

// Token overwrites a token wherever a text repeats it, in whatever form. The length stays, so that an answer in
// protobuf can still be read.
func Token(text []byte, token string) []byte {
	for _, form := range forms(token) {
		if bytes.Contains(text, form) {
			text = bytes.ReplaceAll(text, form, bytes.Repeat([]byte{'*'}, len(form)))
		}
	}
	return text
}

// forms are the ways in which a text may be written. The longest come first where one holds another.
func forms(token string) [][]byte {
	const shortest = 4 // or ordinary words would be blanked
	if len(token) < shortest {
		return nil
	}
	all := [][]byte{
		[]byte(token), quoted(token, true), quoted(token, false), []byte(url.QueryEscape(token)), []byte(url.PathEscape(token)),
		[]byte(strings.ReplaceAll(url.QueryEscape(token), "+", "%20")),
	}
	// Somebody who quotes a line may stop at a blank.
	const tellingWord = 8
	for word := range strings.FieldsSeq(token) {
		if len(word) >= tellingWord {
			all = append(all, []byte(word))
		}
	}
	// In base64 a text looks different at each of the three places where it may begin within a group.
	for lead := range 3 {
		padded := append(make([]byte, lead), token...)
		from := []int{0, 2, 3}[lead] // characters that the bytes before have a part in
		to := len(padded) * 8 / 6    // of the whole characters
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, []byte(encoding.EncodeToString(padded)[from:to]))
		}
	}
	return all
}

// quoted is a text within a JSON string; programs differ in whether they escape <, > and &.
func quoted(text string, html bool) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(html)
	_ = encoder.Encode(text)            // a string always is JSON
	return out.Bytes()[1 : out.Len()-2] // without the quotes and the newline
}

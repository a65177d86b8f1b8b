// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package blank

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	const token = `c4n/ry "x" $y+z%`
	quoted, err := json.Marshal(token)
	if err != nil {
		t.Fatal(err)
	}
	encoded := base64.StdEncoding.EncodeToString
	for name, text := range map[string]string{
		"plain": token, "JSON": string(quoted), "query": url.QueryEscape(token), "path": url.PathEscape(token),
		"base64": encoded([]byte(token)), "base64 of a header": encoded([]byte("Bearer " + token)),
		"base64 behind one byte": encoded([]byte(":" + token + "!")), "URL base64": base64.URLEncoding.EncodeToString([]byte(token)),
	} {
		got := string(Token([]byte("before "+text+" behind"), token))
		if len(got) != len(text)+len("before  behind") || !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " behind") {
			t.Errorf("%s: %q", name, got)
		}
		inner := strings.Trim(strings.TrimSuffix(strings.TrimPrefix(got, "before "), " behind"), `"=`)
		if strings.Contains(got, "c4n") || strings.Count(inner, "*") < len(token)-2 {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := Token([]byte("a word"), "a"); string(got) != "a word" {
		t.Errorf("a token of one letter took %q", got)
	}
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// chatRequest is the part of an OpenAI chat request that matters here.
type chatRequest struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`

	N                   int `json:"n"`
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`

	Stream        bool `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"` // a string or a list of parts
}

func (r chatRequest) limit() int {
	if r.MaxCompletionTokens > 0 {
		return r.MaxCompletionTokens
	}
	return r.MaxTokens
}

// prompt is all the text of the messages.
func (r chatRequest) prompt() string {
	var text strings.Builder
	for _, m := range r.Messages {
		text.WriteString(m.Role + " ")
		text.WriteString(contentText(m.Content) + " ")
	}
	return text.String()
}

func contentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	var joined []string
	for _, part := range parts {
		joined = append(joined, part.Text)
	}
	return strings.Join(joined, " ")
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

func newUsage(prompt, completion int) *usage {
	return &usage{Prompt: prompt, Completion: completion, Total: prompt + completion}
}

// chatResponse is a whole answer or one chunk of a stream.
type chatResponse struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index        int     `json:"index"`
	Message      *answer `json:"message,omitempty"`
	Delta        *answer `json:"delta,omitempty"`
	FinishReason *string `json:"finish_reason"`
}

type answer struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content"`
}

func (e *Engine) serveModels(w http.ResponseWriter, _ *http.Request) {
	type model struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		OwnedBy string `json:"owned_by"`
	}
	writeJSON(w, http.StatusOK, map[string]any{
		"object": "list",
		"data":   []model{{ID: e.options.Model, Object: "model", OwnedBy: "vllm"}},
	})
}

func writeError(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, map[string]any{
		"error": map[string]any{"message": text, "code": status},
	})
}

// writeJSON declares the length, since the HTTP statistics go by it.
func writeJSON(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that went away is seen in the request's context
}

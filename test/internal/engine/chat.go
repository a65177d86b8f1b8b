// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package engine

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

var lastID atomic.Int64

func (e *Engine) serveChat(w http.ResponseWriter, r *http.Request) {
	var request chatRequest
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		writeError(w, http.StatusBadRequest, err.Error())
		return
	}
	if request.Model != e.options.Model {
		writeError(w, http.StatusNotFound, fmt.Sprintf("The model `%s` does not exist.", request.Model))
		return
	}
	frame := chatResponse{
		ID:      fmt.Sprintf("chatcmpl-%d", lastID.Add(1)),
		Created: time.Now().Unix(),
		Model:   request.Model,
	}
	if request.Stream {
		e.stream(w, r, request, frame)
		return
	}
	result := e.generate(r.Context(), request, func(int) {})
	if result.reason == finishedAbort {
		return // nobody listens any more
	}
	frame.Object = "chat.completion"
	frame.Usage = newUsage(result.prompt, result.tokens)
	frame.Choices = []choice{{
		Message:      &answer{Role: "assistant", Content: words(result.tokens)},
		FinishReason: &result.reason,
	}}
	writeJSON(w, http.StatusOK, frame)
}

// stream answers with server-sent events: the role, the tokens as they are made, the
// reason of the end, the usage if it was asked for.
func (e *Engine) stream(w http.ResponseWriter, r *http.Request, request chatRequest, frame chatResponse) {
	frame.Object = "chat.completion.chunk"
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	send := func(c ...choice) {
		chunk := frame
		chunk.Choices = append([]choice{}, c...)
		writeEvent(w, chunk)
	}
	send(choice{Delta: &answer{Role: "assistant"}})
	result := e.generate(r.Context(), request, func(n int) {
		send(choice{Delta: &answer{Content: words(n)}})
	})
	if result.reason == finishedAbort {
		return
	}
	send(choice{Delta: &answer{}, FinishReason: &result.reason})
	if request.StreamOptions.IncludeUsage {
		frame.Usage = newUsage(result.prompt, result.tokens)
		send()
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func writeEvent(w http.ResponseWriter, chunk chatResponse) {
	body, err := json.Marshal(chunk)
	if err != nil {
		return
	}
	fmt.Fprintf(w, "data: %s\n\n", body)
	_ = http.NewResponseController(w).Flush()
}

// words is an answer of n tokens.
func words(n int) string { return strings.Repeat("word ", n) }

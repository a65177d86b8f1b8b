// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// tally counts requests by how they ended. What was sent and is in neither of the others
// was left in flight.
type tally struct {
	Sent   int64 `json:"sent"`
	OK     int64 `json:"ok"`
	Failed int64 `json:"failed"`
	Tokens int64 `json:"tokens"`
}

// load sends requests.
type load struct {
	options   options
	onSuccess func()

	sent, ok, failed, tokens atomic.Int64
}

// runLoad sends requests for as long as the options say, or until SIGTERM, and calls
// onSuccess for each one answered.
func runLoad(ctx context.Context, o options, onSuccess func()) tally {
	l := &load{options: o, onSuccess: onSuccess}
	sending, stop := context.WithCancel(ctx)
	defer stop()
	var workers sync.WaitGroup
	if o.engine != "" {
		for range o.concurrency {
			// SIGTERM breaks off a request, the mere end of the time does not.
			workers.Go(func() { l.work(ctx, sending) })
		}
	}
	done := make(chan struct{})
	go func() {
		workers.Wait()
		close(done)
	}()
	o.wait(ctx, done)
	stop()
	if !o.hang {
		<-done
	}
	return l.tally()
}

// wait returns when the run is over.
func (o options) wait(ctx context.Context, done <-chan struct{}) {
	switch {
	case o.until != "":
		waitForFile(ctx, o.until)
	case o.duration > 0:
		select {
		case <-time.After(o.duration):
		case <-ctx.Done():
		}
	default:
		<-done
	}
}

func waitForFile(ctx context.Context, path string) {
	for ctx.Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (l *load) tally() tally {
	return tally{Sent: l.sent.Load(), OK: l.ok.Load(), Failed: l.failed.Load(), Tokens: l.tokens.Load()}
}

// work sends one request after the other while sending is not over.
func (l *load) work(ctx, sending context.Context) {
	for sending.Err() == nil && l.next() {
		if err := l.ask(ctx); err != nil {
			l.failed.Add(1)
			fmt.Fprintln(os.Stderr, "driver:", err)
			pause(sending) // an engine that is gone is not asked a thousand times
			continue
		}
		l.ok.Add(1)
		l.onSuccess()
	}
}

// next takes one request off the number to send.
func (l *load) next() bool {
	n := l.sent.Add(1)
	if o := l.options; n > int64(o.requests) && (o.requests > 0 || o.duration == 0 && o.until == "") {
		l.sent.Add(-1)
		return false
	}
	return true
}

func pause(ctx context.Context) {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
	}
}

// ask sends one request and reads its answer.
func (l *load) ask(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{
		"model":      l.options.model,
		"max_tokens": l.options.maxTokens,
		"messages":   []map[string]string{{"role": "user", "content": "How many roads must a man walk down?"}},
	})
	if err != nil {
		return err
	}
	url := strings.TrimSuffix(strings.TrimSuffix(l.options.engine, "/"), "/v1") + "/v1/chat/completions"
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	return l.read(response)
}

func (l *load) read(response *http.Response) error {
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, text)
	}
	var answer struct {
		Usage struct {
			Completion int64 `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return err
	}
	l.tokens.Add(answer.Usage.Completion)
	return nil
}

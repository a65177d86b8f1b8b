// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package ingest stands in for the routing proxy in front of an OTLP/HTTP backend. It
// finds the tenant in the resource attribute Authorization of each resource, drops
// resources without one and answers 200 all the same, which is the trap that the real
// one sets. It keeps everything it was sent, and can be told to fail.
package ingest

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// Options say where a Server listens and what it writes.
type Options struct {
	Listen string    // default 127.0.0.1:0
	Record io.Writer // gets one JSON object a line for each request
	Faults Faults    // what is wrong from the start
	// Token makes the server answer 401 unless the header Authorization is this token
	// as a bearer. Empty means any header will do.
	Token string
	// TLS makes it an https server.
	TLS *tls.Config
}

// Server is a running proxy.
type Server struct {
	URL string

	options Options
	http    *http.Server
	closing chan struct{}

	mu       sync.Mutex
	token    string
	faults   Faults
	requests []Request
}

// Start runs a server for the length of a test.
func Start(tb testing.TB, options Options) *Server {
	tb.Helper()
	s, err := New(options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	return s
}

// New runs a server until Close.
func New(options Options) (*Server, error) {
	if options.Listen == "" {
		options.Listen = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", options.Listen)
	if err != nil {
		return nil, fmt.Errorf("ingest: %w", err)
	}
	s := &Server{
		URL:     "http://" + listener.Addr().String(),
		token:   options.Token,
		options: options,
		closing: make(chan struct{}),
		faults:  options.Faults,
	}
	if options.TLS != nil {
		s.URL = "https://" + listener.Addr().String()
		listener = tls.NewListener(listener, options.TLS)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/{signal}", s.serve)
	s.http = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.http.Serve(listener) }() // ends with ErrServerClosed
	return s, nil
}

// Close cuts off all connections; what was received stays readable.
func (s *Server) Close() {
	select {
	case <-s.closing:
		return
	default:
		close(s.closing)
	}
	_ = s.http.Close()
}

// SetFaults changes what goes wrong from the next request on.
func (s *Server) SetFaults(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = f
}

// SetToken changes the token that is asked for, as if the one before had expired.
func (s *Server) SetToken(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = token
}

func (s *Server) accepts(authorization string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.token == "" || authorization == "Bearer "+s.token
}

func (s *Server) faultsOf(signal Signal) Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.faults.concern(signal) {
		return Faults{}
	}
	return s.faults
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	got := Request{Time: time.Now(), Path: r.URL.Path, Signal: Signal(r.PathValue("signal")), Header: r.Header}
	content, asJSON, err := read(r, got.Signal)
	if err != nil {
		got.Error = err.Error()
		got.Status = answer(w, statusOf(err), "text/plain", err.Error())
		s.keep(got)
		return
	}
	if got.Payload, err = content.json(); err != nil {
		got.Error = err.Error()
	}
	got.kept, got.Count = content.split()
	faults := s.faultsOf(got.Signal)
	faults.pause(r, got.Count.KeptItems+got.Count.DroppedItems, s.closing)
	if status, refused := s.refuse(w, r, got, faults); refused {
		got.Status = status
		s.keep(got)
		return
	}
	got.Status, got.Taken, got.Rejected = http.StatusOK, true, faults.Reject
	// Kept before the answer goes out, so that whoever got the answer can look.
	s.keep(got)
	reply(w, content, asJSON, faults.Reject)
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, got Request, faults Faults) (status int, refused bool) {
	if !s.accepts(r.Header.Get("Authorization")) {
		return answer(w, http.StatusUnauthorized, "text/plain", "unknown token"), true
	}
	return faults.refuse(w, r, got, s.closing)
}

func reply(w http.ResponseWriter, content payload, asJSON bool, rejected int64) {
	body, err := content.answer(asJSON, rejected)
	if err != nil {
		answer(w, http.StatusInternalServerError, "text/plain", err.Error())
		return
	}
	contentType := "application/x-protobuf"
	if asJSON {
		contentType = "application/json"
	}
	answer(w, http.StatusOK, contentType, string(body))
}

func statusOf(err error) int {
	if errors.Is(err, errMediaType) || errors.Is(err, errEncoding) {
		return http.StatusUnsupportedMediaType
	}
	return http.StatusBadRequest
}

func (s *Server) keep(r Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	if s.options.Record == nil {
		return
	}
	line, err := json.Marshal(r)
	if err != nil {
		line = fmt.Appendf(nil, `{"error":%q}`, err)
	}
	_, _ = s.options.Record.Write(append(line, '\n')) // a full disk shows in the test
}

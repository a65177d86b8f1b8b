// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package bench

import (
	"bufio"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// backend takes metrics over OTLP/HTTP and counts the points, unless it is down.
type backend struct {
	*httptest.Server
	down   atomic.Bool
	points atomic.Int64
}

func newBackend(tb testing.TB) *backend {
	tb.Helper()
	b := &backend{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if b.down.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "application/x-protobuf")
		if body, err := io.ReadAll(inflated(r)); err == nil && len(body) > 0 {
			b.points.Add(int64(pointsOf(tb, body)))
		}
	}))
	tb.Cleanup(b.Close)
	return b
}

func inflated(r *http.Request) io.Reader {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return r.Body
	}
	plain, err := gzip.NewReader(r.Body)
	if err != nil {
		return strings.NewReader("")
	}
	return plain
}

// frugalBackend answers in the process that is measured and costs next to nothing there: a connection, a buffer, no
// net/http. Each request that it has taken is announced on the channel.
func frugalBackend(tb testing.TB) (url string, taken <-chan struct{}) {
	tb.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = listener.Close() })
	announce := make(chan struct{}, 1024)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go answerAll(conn, announce)
		}
	}()
	return "http://" + listener.Addr().String(), announce
}

func answerAll(conn net.Conn, announce chan<- struct{}) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, 1<<16)
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\nContent-Length: 0\r\n\r\n")
	for {
		length, err := readHeader(in)
		if err != nil {
			return
		}
		if _, err := in.Discard(length); err != nil {
			return
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
		announce <- struct{}{}
	}
}

// readHeader reads to the empty line and returns the content's length.
func readHeader(in *bufio.Reader) (length int, err error) {
	const contentLength = "Content-Length: "
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		if len(line) <= len("\r\n") {
			return length, nil
		}
		if len(line) > len(contentLength) && string(line[:len(contentLength)]) == contentLength {
			for _, digit := range line[len(contentLength) : len(line)-len("\r\n")] {
				length = length*10 + int(digit-'0')
			}
		}
	}
}

func freeAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "localhost:0")
	require.NoError(tb, err)
	defer listener.Close()
	return listener.Addr().String()
}

// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

package authority

import (
	"encoding/pem"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A server is believed when its authority is in the file, and only then.
func TestLoad(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	own := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(own, append([]byte("a comment\n"), certificate...), 0o600); err != nil {
		t.Fatal(err)
	}
	pool, err := Load(own)
	if err != nil {
		t.Fatal(err)
	}
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.RootCAs = pool
	answer, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		t.Fatalf("its own authority: %v", err)
	}
	_ = answer.Body.Close()
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(filepath.Join(dir, "nosuch")); !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "nosuch") != 1 {
		t.Errorf("a file that is not there: %v", err)
	}
	for name, text := range map[string]string{
		"empty": "", "key": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		"broken": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(path); err == nil || !strings.HasSuffix(err.Error(), name+" holds no certificate in PEM") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

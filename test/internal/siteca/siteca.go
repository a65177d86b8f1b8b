// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// Package siteca is a certificate authority of a site's own, for tests.
package siteca

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// New returns the file of a new authority, in PEM, and the configuration of a server on the loopback address whose
// certificate it signed.
func New(tb testing.TB) (file string, server *tls.Config) {
	tb.Helper()
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Site CA"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	authorityKey := newKey(tb)
	signed := sign(tb, authority, authority, authorityKey, authorityKey)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "backend"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	key := newKey(tb)
	file = filepath.Join(tb.TempDir(), "ca.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	if err := os.WriteFile(file, text, 0o644); err != nil {
		tb.Fatal(err)
	}
	certificate := tls.Certificate{Certificate: [][]byte{sign(tb, leaf, authority, key, authorityKey)}, PrivateKey: key}
	return file, &tls.Config{Certificates: []tls.Certificate{certificate}}
}

func newKey(tb testing.TB) *ecdsa.PrivateKey {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return key
}

func sign(tb testing.TB, certificate, parent *x509.Certificate, key, by *ecdsa.PrivateKey) []byte {
	tb.Helper()
	signed, err := x509.CreateCertificate(rand.Reader, certificate, parent, &key.PublicKey, by)
	if err != nil {
		tb.Fatal(err)
	}
	return signed
}

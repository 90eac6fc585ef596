package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
)

// tlsConfig loads what the key tls names; nil without it. With a CA, clients
// may show a certificate, which must then be one of that CA's.
func tlsConfig(c *TLSConfig) (*tls.Config, error) {
	if c == nil {
		return nil, nil
	}
	if c.Certificate == "" || c.Key == "" {
		return nil, errors.New("tls: certificate and key are both needed")
	}
	pair, err := tls.LoadX509KeyPair(c.Certificate, c.Key)
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	out := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if c.CA == "" {
		return out, nil
	}
	text, err := os.ReadFile(c.CA)
	if err != nil {
		return nil, fmt.Errorf("tls.ca: %w", err)
	}
	out.ClientCAs = x509.NewCertPool()
	if !out.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("tls.ca: %s has no certificate", c.CA)
	}
	out.ClientAuth = tls.VerifyClientCertIfGiven
	return out, nil
}

// listenAt opens an address; name says what for. An address "" is off.
func listenAt(addr, name string) (net.Listener, error) {
	if addr == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s for %s: %w", addr, name, err)
	}
	return l, nil
}

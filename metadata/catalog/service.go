package catalog

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// serviceBase checks the address and the warehouse of a REST catalog, of Iceberg
// or Paimon, and gives where its paths begin (it ends with /v1) and its host.
func serviceBase(address, warehouse string, hosts *objstore.Hosts) (base, host string, err error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil {
		return "", "", cherr.New(cherr.BadArguments, "The address of the catalog must be an http or https URL")
	}
	if warehouse == "" {
		return "", "", cherr.New(cherr.BadArguments, "`warehouse` setting cannot be empty. Please specify 'SETTINGS warehouse=<warehouse_name>' in the CREATE DATABASE query")
	}
	if err := hosts.Check(u); err != nil {
		return "", "", err
	}
	base = strings.TrimRight(address, "/")
	if !strings.HasSuffix(base, "/v1") {
		base += "/v1"
	}
	return base, u.Hostname(), nil
}

// unconfigured gives the error of a service that does not tell its configuration.
func unconfigured(warehouse string, err error) error {
	e, ok := errors.AsType[*httpError](err)
	if !ok {
		return err
	}
	code := cherr.DatalakeDatabaseError
	if e.status == http.StatusUnauthorized || e.status == http.StatusForbidden {
		code = cherr.AccessDenied
	}
	return cherr.New(code, "The catalog refuses warehouse '%s': %s (HTTP status %d)", warehouse, e.text, e.status)
}

package storage

import (
	"strings"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// Azure is connection_string | storage_account_url, container, blobpath[,
// account_name, account_key][, format[, compression[, …, structure]]].
var Azure = &Form{
	kind: "azure", keys: azureKeys, required: "container", max: 10,
	help: "connection_string|storage_account_url, container_name, blobpath[, account_name, account_key][, format[, compression[, structure]]]",
	read: readAzure,
}

func readAzure(a *arguments) error {
	if len(a.rest) < 3 {
		return cherr.New(cherr.NumberOfArgumentsDoesntMatch, "Storage %s requires at least 3 arguments: a connection string or the account's URL, a container, a path", a.name)
	}
	account, _ := a.next()
	a.account(account)
	name, _ := a.next()
	blob, _ := a.next()
	a.url = objstore.AzureAddress(name, blob)
	if s, ok := a.peek(); ok && !isFormat(s) {
		a.access.Account, _ = a.next()
		a.access.AccountKey, _ = a.next()
	}
	// Another order than in the other forms: structure comes last.
	words := []*string{&a.source.Format, &a.source.Compression}
	for _, to := range words {
		if s, ok := a.next(); ok {
			unlessAuto(to, s)
		}
	}
	for s, ok := a.next(); ok; s, ok = a.next() {
		if strings.Contains(s, " ") {
			a.source.Structure = s
		}
	}
	return nil
}

// account takes a connection string or an account's URL.
func (a *arguments) account(s string) {
	if strings.Contains(strings.ToLower(s), "accountname=") || strings.Contains(strings.ToLower(s), "blobendpoint=") || strings.Contains(strings.ToLower(s), "sharedaccesssignature=") {
		a.access.ConnectionString = s
	} else {
		a.access.Endpoint = s
	}
}

var azureKeys = fileKeys(setters{
	"connection_string":   func(a *arguments, v string) { a.access.ConnectionString = v },
	"storage_account_url": func(a *arguments, v string) { a.access.Endpoint = v },
	"account_name":        func(a *arguments, v string) { a.access.Account = v },
	"account_key":         func(a *arguments, v string) { a.access.AccountKey = v },
	"container":           func(a *arguments, v string) { a.container = v; a.azureURL() },
	"blob_path":           func(a *arguments, v string) { a.blob = v; a.azureURL() },
})

func (a *arguments) azureURL() {
	if a.container != "" {
		a.url = objstore.AzureAddress(a.container, a.blob)
	}
}

// HDFS is hdfs://host:port/path[, format[, structure[, compression_method]]].
var HDFS = &Form{
	kind: "hdfs", keys: hdfsKeys, required: "path", max: 4, help: "uri[, format[, structure[, compression_method]]]",
	read: func(a *arguments) error {
		a.url, _ = a.next()
		a.formats()
		return nil
	},
}

var hdfsKeys = fileKeys(setters{
	"url":      func(a *arguments, v string) { a.url = v },
	"path":     func(a *arguments, v string) { a.filename = v },
	"filename": func(a *arguments, v string) { a.filename = v },
})

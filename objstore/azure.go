package objstore

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/bloberror"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blockblob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"

	"lakeserver/cherr"
)

// azure speaks to one storage account; its keys are container/blob.
type azure struct {
	endpoint string // of the account, without a slash at the end
	account  string // its name, where it is known
	key      string // shared by all who may use the account
	sas      string
	shared   *container.SharedKeyCredential // nil: a signature in the URL, a token, or nothing
	token    azcore.TokenCredential         // nil: none
	options  container.ClientOptions
}

// RegisterAzure adds Azure Blob Storage to a registry: "azure" for an account's
// address or connection string with container/path behind a |, and abfss://
// and wasbs:// addresses.
func RegisterAzure(r *Registry) {
	open := func(_ context.Context, address string, a *Access) (Store, string, error) {
		z, path, err := parseAzure(address, a)
		if err != nil {
			return nil, "", err
		}
		u, err := url.Parse(z.endpoint)
		if err != nil || u.Host == "" {
			return nil, "", badAddress("is not a URL")
		}
		if err := r.hosts.Check(u); err != nil {
			return nil, "", err
		}
		key := z.identity(a)
		s, err := r.once(key, func() (Store, error) {
			client := &http.Client{Transport: &guarded{next: transport(), hosts: r.hosts, home: u.Host, headers: a.Headers}}
			if z.token, err = newAzureToken(a, client, r.hosts); err != nil {
				return nil, err
			}
			z.options = container.ClientOptions{ClientOptions: policy.ClientOptions{
				Transport: client, Retry: policy.RetryOptions{MaxRetries: -1}, // repeating is ours
			}}
			return newRemote(z, key, a.Retry), nil
		})
		return s, path, err
	}
	r.Register(open, "azure", "abfs", "abfss", "wasb", "wasbs", "az")
}

// identity tells stores apart that may answer differently; of secrets it holds
// a hash, so that another secret is another store.
func (z *azure) identity(a *Access) string {
	h := sha256.New()
	write := func(parts ...string) {
		for _, s := range parts {
			io.WriteString(h, strconv.Itoa(len(s))+":"+s)
		}
	}
	write(z.account, z.key, z.sas, a.Scope, a.TenantID, a.ClientID, a.ClientSecret, a.STSEndpoint)
	for _, kv := range a.Headers {
		write(kv[0], kv[1])
	}
	return "azure|" + z.endpoint + "|" + hex.EncodeToString(h.Sum(nil)[:12])
}

// AzureAddress joins what the arguments of Azure functions say into an address.
func AzureAddress(containerName, blobPath string) string {
	return "azure:" + containerName + "/" + strings.TrimLeft(blobPath, "/")
}

// parseAzure reads azure:container/path, whose account is in the access, or
// abfss://container@account.host/path.
func parseAzure(address string, a *Access) (*azure, string, error) {
	z := &azure{sas: strings.TrimPrefix(a.SAS, "?")}
	rest, plain := strings.CutPrefix(address, "azure:")
	if !plain {
		_, where, _ := strings.Cut(address, "://")
		authority, path, _ := strings.Cut(where, "/")
		name, host, ok := strings.Cut(authority, "@")
		if !ok {
			return nil, "", badAddress("must have the form abfss://container@account.dfs.core.windows.net/path")
		}
		rest = name + "/" + path
		if a.Endpoint == "" && a.ConnectionString == "" {
			z.endpoint = "https://" + strings.Replace(host, ".dfs.", ".blob.", 1)
		}
		if a.Account == "" {
			a.Account, _, _ = strings.Cut(host, ".")
		}
	}
	key := a.AccountKey
	account := a.Account
	switch {
	case a.ConnectionString != "":
		var err error
		if z.endpoint, account, key, z.sas, err = connectionString(a.ConnectionString); err != nil {
			return nil, "", err
		}
	case z.endpoint == "":
		z.endpoint, _, _ = strings.Cut(a.Endpoint, "?")
		if _, q, ok := strings.Cut(a.Endpoint, "?"); ok {
			z.sas = q
		}
	}
	z.endpoint = strings.TrimRight(z.endpoint, "/")
	z.account, z.key = account, key
	if key != "" {
		cred, err := container.NewSharedKeyCredential(account, key)
		if err != nil {
			return nil, "", cherr.New(cherr.BadArguments, "The key of the storage account is not valid base64")
		}
		z.shared = cred
	}
	return z, rest, nil
}

// connectionString reads Name=value;…, whose values may hold =.
func connectionString(s string) (endpoint, account, key, sas string, err error) {
	parts := map[string]string{}
	for p := range strings.SplitSeq(s, ";") {
		if k, v, ok := strings.Cut(strings.TrimSpace(p), "="); ok {
			parts[strings.ToLower(k)] = v
		}
	}
	account, key, sas = parts["accountname"], parts["accountkey"], strings.TrimPrefix(parts["sharedaccesssignature"], "?")
	if endpoint = parts["blobendpoint"]; endpoint == "" && account != "" {
		scheme, suffix := parts["defaultendpointsprotocol"], parts["endpointsuffix"]
		if scheme == "" {
			scheme = "https"
		}
		if suffix == "" {
			suffix = "core.windows.net"
		}
		endpoint = scheme + "://" + account + ".blob." + suffix
	}
	if endpoint == "" {
		err = cherr.New(cherr.BadArguments, "The connection string names neither BlobEndpoint nor AccountName")
	}
	return endpoint, account, key, sas, err
}

func (z *azure) resolve(path string) (string, error) {
	key := path
	switch scheme := Scheme(path); scheme {
	case "":
	case "azure":
		_, key, _ = strings.Cut(path, ":")
	case "abfs", "abfss", "wasb", "wasbs", "az":
		_, where, _ := strings.Cut(path, "://")
		authority, rest, _ := strings.Cut(where, "/")
		name, host, given := strings.Cut(authority, "@")
		if given && !z.isAccount(host) {
			return "", cherr.New(cherr.PathAccessDenied, "Path `%s` lies in another storage account", path)
		}
		key = name + "/" + rest
	case "http", "https":
		rest, ok := strings.CutPrefix(path, z.endpoint+"/")
		if !ok {
			return "", cherr.New(cherr.PathAccessDenied, "Path `%s` lies in another storage account", path)
		}
		key = rest
	default:
		return "", cherr.New(cherr.PathAccessDenied, "Path `%s` does not lie in the storage account", path)
	}
	key = strings.TrimLeft(key, "/")
	for part := range strings.SplitSeq(key, "/") {
		if part == ".." || part == "." {
			return "", cherr.New(cherr.PathAccessDenied, "Path `%s` leaves its folder", path)
		}
	}
	if key == "" {
		return "", cherr.New(cherr.PathAccessDenied, "Path `%s` names no object", path)
	}
	return key, nil
}

// isAccount tells whether a host of an abfss:// address is this account's: it
// begins with the account's name, or is the endpoint's own.
func (z *azure) isAccount(host string) bool {
	name, _, _ := strings.Cut(host, ".")
	if z.account != "" && name == z.account {
		return true
	}
	u, err := url.Parse(z.endpoint)
	return err == nil && strings.Replace(host, ".dfs.", ".blob.", 1) == u.Host
}

func (z *azure) path(key string) string { return key }

func (z *azure) address(key string) string {
	name, blobName := split(key)
	host := z.endpoint
	if u, err := url.Parse(z.endpoint); err == nil {
		host = u.Host
	}
	return "abfss://" + name + "@" + strings.Replace(host, ".blob.", ".dfs.", 1) + "/" + blobName
}

func (z *azure) container(name string) (*container.Client, error) {
	address := z.endpoint + "/" + url.PathEscape(name)
	if z.shared != nil {
		return container.NewClientWithSharedKeyCredential(address, z.shared, &z.options)
	}
	if z.token != nil {
		return container.NewClient(address, z.token, &z.options)
	}
	if z.sas != "" {
		address += "?" + z.sas
	}
	return container.NewClientWithNoCredential(address, &z.options)
}

func (z *azure) blob(key string) (*blockblob.Client, error) {
	name, blobName := split(key)
	c, err := z.container(name)
	if err != nil {
		return nil, badAddress("is not valid")
	}
	if blobName == "" {
		return nil, cherr.New(cherr.FileDoesntExist, "%s is a container", key)
	}
	return c.NewBlockBlobClient(blobName), nil
}

func etagOf(e *azcore.ETag) string {
	if e == nil {
		return ""
	}
	return strings.Trim(string(*e), `"`)
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

func (z *azure) head(ctx context.Context, key string) (Object, error) {
	b, err := z.blob(key)
	if err != nil {
		return Object{}, err
	}
	p, err := b.GetProperties(ctx, nil)
	if err != nil {
		return Object{}, azureFailed(err, key, "reading")
	}
	return Object{Size: value(p.ContentLength), Modified: value(p.LastModified), ETag: etagOf(p.ETag)}, nil
}

// get reads a range. Azure has none that count from the end: those are read
// behind a look at the size.
func (z *azure) get(ctx context.Context, key string, off, n int64, etag string) (io.ReadCloser, Object, error) {
	b, err := z.blob(key)
	if err != nil {
		return nil, Object{}, err
	}
	if off < 0 {
		obj, err := z.head(ctx, key)
		if err != nil || obj.Size == 0 {
			return io.NopCloser(bytes.NewReader(nil)), obj, err
		}
		off, etag = max(0, obj.Size-n), obj.ETag
		n = obj.Size - off
	}
	o := &blob.DownloadStreamOptions{Range: blob.HTTPRange{Offset: off, Count: max(0, n)}}
	if etag != "" {
		tag := azcore.ETag(`"` + etag + `"`)
		o.AccessConditions = &blob.AccessConditions{ModifiedAccessConditions: &blob.ModifiedAccessConditions{IfMatch: &tag}}
	}
	r, err := b.DownloadStream(ctx, o)
	if err != nil {
		if bloberror.HasCode(err, bloberror.InvalidRange) && off == 0 {
			obj, herr := z.head(ctx, key)
			return io.NopCloser(bytes.NewReader(nil)), obj, herr
		}
		return nil, Object{}, azureFailed(err, key, "reading")
	}
	obj := Object{Size: value(r.ContentLength), Modified: value(r.LastModified), ETag: etagOf(r.ETag)}
	if err := position(r.Body, value(r.ContentRange), &obj, off, n); err != nil {
		r.Body.Close()
		return nil, Object{}, err
	}
	return r.Body, obj, nil
}

func (z *azure) list(ctx context.Context, prefix string, recursive bool, after string, yield func(Object)) error {
	name, start := split(prefix)
	c, err := z.container(name)
	if err != nil {
		return badAddress("is not valid")
	}
	add := func(items []*container.BlobItem) {
		for _, i := range items {
			key := name + "/" + value(i.Name)
			if key <= after || strings.HasSuffix(key, "/") || i.Properties == nil || i.Properties.ContentLength == nil {
				continue // seen before the page was asked for again; or a folder
			}
			if m := i.Metadata["hdi_isfolder"]; m != nil {
				continue
			}
			yield(Object{Path: key, Size: *i.Properties.ContentLength, Modified: value(i.Properties.LastModified), ETag: etagOf(i.Properties.ETag)})
		}
	}
	if recursive {
		p := c.NewListBlobsFlatPager(&container.ListBlobsFlatOptions{Prefix: &start})
		for p.More() {
			page, err := p.NextPage(ctx)
			if err != nil {
				return azureFailed(err, prefix, "listing")
			}
			add(page.Segment.BlobItems)
		}
		return nil
	}
	p := c.NewListBlobsHierarchyPager("/", &container.ListBlobsHierarchyOptions{Prefix: &start})
	for p.More() {
		page, err := p.NextPage(ctx)
		if err != nil {
			return azureFailed(err, prefix, "listing")
		}
		add(page.Segment.BlobItems)
	}
	return nil
}

func azureConditions(opt PutOptions) *blob.AccessConditions {
	m := &blob.ModifiedAccessConditions{}
	if opt.IfAbsent {
		any := azcore.ETagAny
		m.IfNoneMatch = &any
	}
	if opt.IfMatch != "" {
		tag := azcore.ETag(`"` + opt.IfMatch + `"`)
		m.IfMatch = &tag
	}
	return &blob.AccessConditions{ModifiedAccessConditions: m}
}

// nopCloser lets a reader be given to those who close.
type nopCloser struct{ io.ReadSeeker }

func (nopCloser) Close() error { return nil }

func (z *azure) put(ctx context.Context, key string, body []byte, opt PutOptions) (Object, error) {
	b, err := z.blob(key)
	if err != nil {
		return Object{}, err
	}
	r, err := b.Upload(ctx, nopCloser{bytes.NewReader(body)}, &blockblob.UploadOptions{AccessConditions: azureConditions(opt)})
	if err != nil {
		return Object{}, azureRefused(err, key, opt)
	}
	return Object{Size: int64(len(body)), ETag: etagOf(r.ETag), Modified: value(r.LastModified)}, nil
}

func azureRefused(err error, key string, opt PutOptions) error {
	if bloberror.HasCode(err, bloberror.BlobAlreadyExists, bloberror.ConditionNotMet, bloberror.TargetConditionNotMet) || opt.IfMatch != "" && bloberror.HasCode(err, bloberror.BlobNotFound) {
		if opt.IfMatch != "" {
			return ErrChanged
		}
		return ErrExists
	}
	return azureFailed(err, key, "writing")
}

func (z *azure) remove(ctx context.Context, key string) error {
	b, err := z.blob(key)
	if err != nil {
		return err
	}
	if _, err := b.Delete(ctx, nil); err != nil {
		return azureFailed(err, key, "deleting")
	}
	return nil
}

// azureUpload stages blocks; committing their list makes the blob.
type azureUpload struct {
	b    *blockblob.Client
	key  string
	mark string // in the blob's metadata: whose content it is
	opt  PutOptions
	ids  []string
	size int64
}

// azureMark names the mark in a blob's metadata.
const azureMark = "upload"

func (z *azure) upload(_ context.Context, key string, opt PutOptions) (upload, error) {
	b, err := z.blob(key)
	if err != nil {
		return nil, err
	}
	return &azureUpload{b: b, key: key, opt: opt, mark: newMark()}, nil
}

func (u *azureUpload) part(ctx context.Context, number int, data []byte) error {
	id := base64.StdEncoding.EncodeToString([]byte{byte(number >> 16), byte(number >> 8), byte(number)})
	if _, err := u.b.StageBlock(ctx, id, nopCloser{bytes.NewReader(data)}, nil); err != nil {
		return azureFailed(err, u.key, "writing")
	}
	if len(u.ids) < number {
		u.ids, u.size = append(u.ids, id), u.size+int64(len(data))
	}
	return nil
}

func (u *azureUpload) finish(ctx context.Context) (Object, error) {
	r, err := u.b.CommitBlockList(ctx, u.ids, &blockblob.CommitBlockListOptions{AccessConditions: azureConditions(u.opt), Metadata: map[string]*string{azureMark: &u.mark}})
	if err != nil {
		return Object{}, azureRefused(err, u.key, u.opt)
	}
	return Object{Size: u.size, ETag: etagOf(r.ETag), Modified: value(r.LastModified)}, nil
}

func (u *azureUpload) landed(ctx context.Context) (Object, bool) {
	p, err := u.b.GetProperties(ctx, nil)
	if err != nil {
		return Object{}, false
	}
	for k, v := range p.Metadata { // names come back in other case
		if strings.EqualFold(k, azureMark) && value(v) == u.mark {
			return Object{Size: value(p.ContentLength), Modified: value(p.LastModified), ETag: etagOf(p.ETag)}, true
		}
	}
	return Object{}, false
}

// abort leaves staged blocks to Azure, which forgets them after a week.
func (u *azureUpload) abort(context.Context) error { return nil }

// azureFailed gives an error of Azure its code; addresses, which may hold a
// signature, are left out.
func azureFailed(err error, key, doing string) error {
	if e, ok := errors.AsType[*cherr.Error](err); ok {
		return e
	}
	r, ok := errors.AsType[*azcore.ResponseError](err)
	if !ok {
		return networkFailure(err, key, doing)
	}
	switch {
	case r.StatusCode == http.StatusNotFound && r.ErrorCode != string(bloberror.ContainerNotFound):
		return cherr.New(cherr.FileDoesntExist, "Object %s doesn't exist", key)
	case r.StatusCode == http.StatusPreconditionFailed:
		return changed(key)
	}
	f := &failure{again: r.StatusCode >= 500 || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout, unclear: r.StatusCode >= 500}
	if r.StatusCode == http.StatusServiceUnavailable {
		f.wait = 200 * time.Millisecond
	}
	f.err = cherr.New(cherr.AzureBlobStorageError, "%s object %s: %s (HTTP status %d)", doing, key, r.ErrorCode, r.StatusCode)
	return f
}

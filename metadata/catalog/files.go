package catalog

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
)

// files reads and writes the metadata files of tables for catalogs that keep
// nothing but their places (iceberg.md §2.3).
type files struct {
	stores    *objstore.Registry
	storage   objstore.Access
	warehouse string
}

// open gives the store of an address, reached by a, or else by the catalog's
// own storage.
func (f *files) open(ctx context.Context, address string, a *objstore.Access) (objstore.Store, string, error) {
	if a == nil {
		a = &f.storage
	}
	kind := ""
	if objstore.Scheme(address) == "" {
		kind = "file" // the local store judges it
	}
	return f.stores.Open(ctx, kind, address, a)
}

// load reads a metadata file.
func (f *files) load(ctx context.Context, location string, a *objstore.Access) (*iceberg.TableMetadata, error) {
	store, path, err := f.open(ctx, location, a)
	if err != nil {
		return nil, err
	}
	data, err := store.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if data, err = metadata.Decompress(data); err != nil {
		return nil, err
	}
	return iceberg.ParseMetadata(location, data)
}

// next makes the version that follows base and writes it under a name of its
// own; ErrConflict when a requirement does not hold.
func (f *files) next(ctx context.Context, base *Table, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error) {
	if err := iceberg.CheckAll(reqs, base.Meta); err != nil {
		return nil, cherr.Wrap(ErrConflict, "%s", err)
	}
	b := iceberg.NewBuilder(base.Meta)
	if err := b.Apply(ups...); err != nil {
		return nil, err
	}
	built, err := b.Build()
	if err != nil {
		return nil, err
	}
	m := *built
	if err := f.write(ctx, &m, versionOf(base.Meta.File)+1, base.Access); err != nil {
		return nil, err
	}
	return &m, nil
}

// write writes a version and sets its File.
func (f *files) write(ctx context.Context, m *iceberg.TableMetadata, version int64, a *objstore.Access) error {
	m.File = fmt.Sprintf("%s/metadata/%05d-%s.metadata.json", strings.TrimRight(m.Location, "/"), version, uuid.NewString())
	data, err := iceberg.Encode(m)
	if err != nil {
		return err
	}
	store, path, err := f.open(ctx, m.File, a)
	if err != nil {
		return err
	}
	_, err = store.Put(ctx, path, bytes.NewReader(data), objstore.PutOptions{})
	return err
}

// forget deletes a version's file that nobody will name. One that stays is an
// orphan, which maintenance removes.
func (f *files) forget(ctx context.Context, m *iceberg.TableMetadata, a *objstore.Access) {
	if store, path, err := f.open(ctx, m.File, a); err == nil {
		_ = store.Delete(context.WithoutCancel(ctx), path)
	}
}

// versionOf reads the number before the first dash of a metadata file's name.
func versionOf(file string) int64 {
	name := file[strings.LastIndexByte(file, '/')+1:]
	digits, _, _ := strings.Cut(strings.TrimPrefix(name, "v"), "-")
	digits, _, _ = strings.Cut(digits, ".")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// place gives a new table's folder below the warehouse.
func (f *files) place(id Identifier) (string, error) {
	if f.warehouse == "" || objstore.Scheme(f.warehouse) == "" {
		return "", cherr.New(cherr.BadArguments, "A table is created below the setting `warehouse`, which must be an address such as s3://bucket/path")
	}
	return strings.TrimRight(f.warehouse, "/") + "/" + strings.Join(id.Namespace, "/") + "/" + id.Name, nil
}

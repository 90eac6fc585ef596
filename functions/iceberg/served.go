package iceberg

import (
	"context"
	"errors"

	"lakeserver/cherr"
	"lakeserver/metadata"
	"lakeserver/metadata/iceberg"
	"lakeserver/objstore"
	write "lakeserver/write/iceberg"
)

// Metadata gives the version that the table was opened at; its File is the
// whole path.
func (t *Table) Metadata() *iceberg.TableMetadata {
	return placed(t.src.Loader.Store, t.src.Meta)
}

func placed(store objstore.Store, m *iceberg.TableMetadata) *iceberg.TableMetadata {
	out := *m
	out.File = objstore.Location(store, m.File)
	return &out
}

// Update commits what another planned. The requirements are its own, so a race
// that they allow is run again, and one that they do not is ErrRequirement.
func (t *Table) Update(ctx context.Context, reqs []iceberg.Requirement, ups []iceberg.Update) (*iceberg.TableMetadata, error) {
	next, err := t.writer().Commit(ctx, write.Plan(func(_ context.Context, base *iceberg.TableMetadata) (*write.Change, error) {
		if err := iceberg.CheckAll(reqs, base); err != nil {
			return nil, err
		}
		return &write.Change{Requirements: reqs, Updates: ups}, nil
	}))
	if err != nil {
		return nil, err
	}
	return placed(t.src.Loader.Store, next), nil
}

// CreateIn writes the first version of a table into a folder of a store;
// TABLE_ALREADY_EXISTS when there is one.
func CreateIn(ctx context.Context, store objstore.Store, path string, m *iceberg.TableMetadata) (*iceberg.TableMetadata, error) {
	// Engines that open a table by its folder alone look for the hint.
	f := &write.Folder{Loader: &metadata.Loader{Store: store}, Root: path + "/", Choice: iceberg.Choice{}, Hint: true}
	next, err := f.Create(ctx, m)
	if errors.Is(err, write.ErrConflict) {
		return nil, cherr.New(cherr.TableAlreadyExists, "Iceberg table with path %s already exists", path)
	}
	if err != nil {
		return nil, err
	}
	return placed(store, next), nil
}

// NewestIn gives the newest version of the table in a folder of a store.
func NewestIn(ctx context.Context, store objstore.Store, path string) (*iceberg.TableMetadata, error) {
	m, _, err := iceberg.Load(ctx, &metadata.Loader{Store: store}, path+"/", iceberg.Choice{})
	if err != nil {
		return nil, err
	}
	return placed(store, m), nil
}

// IsUnknown tells whether an error leaves open if a commit landed.
func IsUnknown(err error) bool { return errors.Is(err, write.ErrUnknown) }

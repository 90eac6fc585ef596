package objstore_test

import (
	"context"
	"testing"

	"lakeserver/cherr"
	"lakeserver/objstore"
)

// Stores that are reached with other secrets are others, and what lies in
// another account is refused.
func TestAzureAccounts(t *testing.T) {
	r := objstore.NewRegistry(nil)
	objstore.RegisterAzure(r)
	open := func(key string) objstore.Store {
		s, _, err := r.Open(context.Background(), "azure", "azure:lake/t", &objstore.Access{ConnectionString: "AccountName=acc;AccountKey=" + key + ";BlobEndpoint=http://127.0.0.1:1/acc"})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	a, b := open("a2V5"), open("b3RoZXI=")
	if a == b || objstore.Identity(a) == objstore.Identity(b) {
		t.Error("two keys share a store")
	}
	if a != open("a2V5") {
		t.Error("the store is not kept")
	}
	for _, p := range []string{"abfss://lake@other.dfs.core.windows.net/x", "https://acc.blob.core.windows.net/lake/x", "s3://lake/x", "lake/../x"} {
		if _, err := a.Read(context.Background(), p); !cherr.Is(err, cherr.PathAccessDenied) {
			t.Errorf("%s: %v", p, err)
		}
	}
	for _, p := range []string{"abfss://lake@acc.dfs.core.windows.net/x", "http://127.0.0.1:1/acc/lake/x", "lake/x"} {
		if got := objstore.Location(a, p); got != "abfss://lake@127.0.0.1:1/x" {
			t.Errorf("%s lies at %s", p, got)
		}
	}
}

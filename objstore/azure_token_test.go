package objstore

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"lakeserver/cherr"
)

// A client's credentials become a token; no error names the secret.
func TestAzureClientCredentials(t *testing.T) {
	const secret = "marked-client-secret"
	login := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/tenant/oauth2/v2.0/token" || r.FormValue("client_id") != "id" || r.FormValue("grant_type") != "client_credentials" || r.FormValue("scope") != "a scope" {
			t.Errorf("%s asked with %v", r.URL.Path, r.Form)
		}
		if r.FormValue("client_secret") != secret {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, `{"error": "invalid_client"}`)
			return
		}
		fmt.Fprint(w, `{"access_token": "the-token", "expires_in": 3600}`)
	}))
	defer login.Close()
	ask := func(address, given string) (string, error) {
		c, err := newAzureToken(&Access{TenantID: "tenant", ClientID: "id", ClientSecret: given, STSEndpoint: address}, http.DefaultClient, nil)
		if err != nil {
			t.Fatal(err)
		}
		tok, err := c.GetToken(context.Background(), policy.TokenRequestOptions{Scopes: []string{"a", "scope"}})
		return tok.Token, err
	}
	if tok, err := ask(login.URL, secret); err != nil || tok != "the-token" {
		t.Errorf("%q, %v", tok, err)
	}
	if _, err := ask(login.URL, "another"); !cherr.Is(err, cherr.AzureBlobStorageError) || strings.Contains(err.Error(), "another") || !strings.Contains(err.Error(), "invalid_client") {
		t.Errorf("a wrong secret: %v", err)
	}
	if _, err := ask("http://127.0.0.1:1", secret); !cherr.Is(err, cherr.NetworkError) || strings.Contains(err.Error(), secret) {
		t.Errorf("nobody answers: %v", err)
	}
	if _, err := newAzureToken(&Access{ClientID: "id"}, http.DefaultClient, nil); !cherr.Is(err, cherr.BadArguments) {
		t.Errorf("half of the credentials: %v", err)
	}
}

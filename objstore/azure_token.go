package objstore

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"lakeserver/cherr"
)

// azureLogin is where Microsoft hands out tokens.
const azureLogin = "https://login.microsoftonline.com"

// azureToken gets tokens by OAuth2's client credentials (RFC 6749 §4.4). The
// SDK keeps a token until five minutes before its end.
type azureToken struct {
	address string
	form    url.Values
	client  *http.Client
}

// newAzureToken gives the tokens of a client, nil where an access names none.
func newAzureToken(a *Access, client *http.Client, hosts *Hosts) (azcore.TokenCredential, error) {
	if a.ClientID == "" && a.TenantID == "" && a.ClientSecret == "" {
		return nil, nil
	}
	if a.ClientID == "" || a.TenantID == "" || a.ClientSecret == "" {
		return nil, cherr.New(cherr.BadArguments, "Client credentials of Azure are client_id, tenant_id and client_secret")
	}
	login := azureLogin
	if a.STSEndpoint != "" {
		login = strings.TrimRight(a.STSEndpoint, "/")
	}
	u, err := url.Parse(login + "/" + url.PathEscape(a.TenantID) + "/oauth2/v2.0/token")
	if err != nil {
		return nil, badAddress("is not a URL")
	}
	if err := hosts.Check(u); err != nil {
		return nil, err
	}
	return &azureToken{address: u.String(), client: client, form: url.Values{
		"grant_type": {"client_credentials"}, "client_id": {a.ClientID}, "client_secret": {a.ClientSecret},
	}}, nil
}

// GetToken asks for a token.
func (t *azureToken) GetToken(ctx context.Context, o policy.TokenRequestOptions) (azcore.AccessToken, error) {
	form := url.Values{"scope": {strings.Join(o.Scopes, " ")}}
	for k, v := range t.form {
		form[k] = v
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.address, strings.NewReader(form.Encode()))
	if err != nil {
		return azcore.AccessToken{}, badAddress("is not a URL")
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := t.client.Do(r)
	if err != nil {
		return azcore.AccessToken{}, plain(networkFailure(err, "of a token", "reading"))
	}
	defer answer.Body.Close()
	var got struct {
		Token   string `json:"access_token"`
		Seconds int64  `json:"expires_in"`
		Error   string `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&got); err != nil || got.Token == "" {
		return azcore.AccessToken{}, cherr.New(cherr.AzureBlobStorageError, "Azure gives no token for the client: %s (HTTP status %d)", printable(got.Error), answer.StatusCode)
	}
	return azcore.AccessToken{Token: got.Token, ExpiresOn: time.Now().Add(time.Duration(got.Seconds) * time.Second)}, nil
}

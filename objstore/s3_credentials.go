package objstore

import (
	"context"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"

	"lakeserver/cherr"
)

// anonymous tells that requests are not signed.
func (s *s3) anonymous() bool {
	a := s.access
	return a.NoSign || a.Sign != nil || a.KeyID == "" && !a.Server && a.Refresh == nil
}

// credentials gives what requests are signed with.
func (s *s3) credentials() *credentials.Credentials {
	a := s.access
	var base *credentials.Credentials
	switch {
	case s.anonymous():
		return credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	case a.Refresh != nil:
		base = credentials.New(&refreshed{access: a})
	case a.KeyID != "":
		base = credentials.NewStaticV4(a.KeyID, a.Secret, a.Token)
	default:
		base = credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{Transport: transport(), Timeout: 10 * time.Second}},
		})
	}
	if a.RoleARN == "" {
		return base
	}
	return credentials.New(&role{s: s, base: base})
}

// refreshed are credentials that someone hands out anew: a catalog.
type refreshed struct {
	credentials.Expiry
	access *Access
	used   bool
}

// refreshTime bounds how long new credentials are waited for.
const refreshTime = 30 * time.Second

func (r *refreshed) Retrieve() (credentials.Value, error) { return r.RetrieveWithCredContext(nil) }

func (r *refreshed) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	a := r.access
	if r.used || a.KeyID == "" || !a.Expires.IsZero() && time.Until(a.Expires) < time.Minute/2 {
		ctx, cancel := context.WithTimeout(context.Background(), refreshTime) // shared by all queries: it ends with none of them
		defer cancel()
		next, err := a.Refresh(ctx)
		if err != nil {
			return credentials.Value{}, err
		}
		a = next
	}
	r.used = true
	expires := a.Expires
	if expires.IsZero() {
		expires = time.Now().Add(365 * 24 * time.Hour)
	}
	r.SetExpiration(expires, min(5*time.Minute, time.Until(expires)/5))
	return credentials.Value{AccessKeyID: a.KeyID, SecretAccessKey: a.Secret, SessionToken: a.Token, Expiration: a.Expires, SignerType: credentials.SignatureV4}, nil
}

// role takes a role by STS with other credentials.
type role struct {
	credentials.STSAssumeRole
	s    *s3
	base *credentials.Credentials
}

func (r *role) Retrieve() (credentials.Value, error) { return r.RetrieveWithCredContext(nil) }

func (r *role) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	a := r.s.access
	base, err := r.base.GetWithContext(&credentials.CredContext{Client: &http.Client{Transport: r.s.http, Timeout: refreshTime}})
	if err != nil {
		return credentials.Value{}, cherr.New(cherr.S3Error, "There are no credentials to take the role with: %s", err)
	}
	endpoint, region := a.STSEndpoint, *r.s.region.Load()
	switch {
	case endpoint != "":
	case r.s.place.region != "" || r.s.place.host == "s3.amazonaws.com":
		endpoint = "https://sts." + region + ".amazonaws.com"
	default: // other services answer at one place
		endpoint = r.s.place.scheme + "://" + r.s.place.host
	}
	session := a.RoleSession
	if session == "" {
		session = "lakeserver"
	}
	r.STSEndpoint = endpoint
	r.Client = &http.Client{Transport: r.s.http, Timeout: refreshTime}
	r.Options = credentials.STSAssumeRoleOptions{
		AccessKey: base.AccessKeyID, SecretKey: base.SecretAccessKey, SessionToken: base.SessionToken, Location: region,
		RoleARN: a.RoleARN, RoleSessionName: session, ExternalID: a.ExternalID, DurationSeconds: 3600,
	}
	v, err := r.STSAssumeRole.RetrieveWithCredContext(&credentials.CredContext{Client: r.Client})
	if err != nil {
		return v, cherr.New(cherr.S3Error, "The role %s cannot be taken: %s", a.RoleARN, err)
	}
	return v, nil
}

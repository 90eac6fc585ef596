package catalog

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"
)

// signV4 signs a request as AWS wants it (Signature Version 4).
func signV4(r *http.Request, body []byte, key, secret, token, region, service string, now time.Time) {
	stamp := now.UTC().Format("20060102T150405Z")
	day := stamp[:8]
	sum := sha256.Sum256(body)
	payload := hex.EncodeToString(sum[:])
	r.Header.Set("X-Amz-Date", stamp)
	r.Header.Set("X-Amz-Content-Sha256", payload)
	if token != "" {
		r.Header.Set("X-Amz-Security-Token", token)
	}
	names := []string{"host"}
	for n := range r.Header {
		if low := strings.ToLower(n); strings.HasPrefix(low, "x-amz-") || low == "content-type" {
			names = append(names, low)
		}
	}
	sort.Strings(names)
	var canonical strings.Builder
	canonical.WriteString(r.Method + "\n" + canonicalPath(r.URL) + "\n" + canonicalQuery(r.URL) + "\n")
	for _, n := range names {
		v := r.Header.Get(n)
		if n == "host" {
			v = r.URL.Host
		}
		canonical.WriteString(n + ":" + strings.Join(strings.Fields(v), " ") + "\n")
	}
	signed := strings.Join(names, ";")
	canonical.WriteString("\n" + signed + "\n" + payload)
	scope := day + "/" + region + "/" + service + "/aws4_request"
	hash := sha256.Sum256([]byte(canonical.String()))
	text := "AWS4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(hash[:])
	k := mac(mac(mac(mac([]byte("AWS4"+secret), day), region), service), "aws4_request")
	r.Header.Set("Authorization", "AWS4-HMAC-SHA256 Credential="+key+"/"+scope+", SignedHeaders="+signed+", Signature="+hex.EncodeToString(mac(k, text)))
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// canonicalPath escapes each segment twice, as all services but S3 want it.
func canonicalPath(u *url.URL) string {
	if u.Path == "" {
		return "/"
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, p := range parts {
		parts[i] = awsEscape(p)
	}
	return strings.Join(parts, "/")
}

func awsEscape(s string) string {
	return strings.NewReplacer("+", "%20", "%7E", "~").Replace(url.QueryEscape(s))
}

func canonicalQuery(u *url.URL) string {
	var out []string
	for k, vs := range u.Query() {
		for _, v := range vs {
			out = append(out, awsEscape(k)+"="+awsEscape(v))
		}
	}
	sort.Strings(out)
	return strings.Join(out, "&")
}

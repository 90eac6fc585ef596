package catalog

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"time"

	"github.com/google/uuid"
)

const (
	dlfProduct = "DlfNext"
	dlfRequest = "aliyun_v4_request"
	unsigned   = "UNSIGNED-PAYLOAD"
)

// signDLF signs a request as Alibaba's Data Lake Formation wants it
// (DLF4-HMAC-SHA256, paimon.md §5.2).
func signDLF(r *http.Request, body []byte, o *PaimonOptions, now time.Time) {
	stamp := now.UTC().Format("20060102T150405Z")
	day := stamp[:8]
	signed := map[string]string{"x-dlf-date": stamp, "x-dlf-content-sha256": unsigned, "x-dlf-version": "v1"}
	if len(body) > 0 {
		sum := md5.Sum(body)
		signed["content-md5"] = base64.StdEncoding.EncodeToString(sum[:])
		signed["content-type"] = "application/json"
	}
	if o.DLFToken != "" {
		signed["x-dlf-security-token"] = o.DLFToken
	}
	names := make([]string, 0, len(signed))
	for n, v := range signed {
		r.Header.Set(n, v)
		names = append(names, n)
	}
	sort.Strings(names)
	var canonical strings.Builder
	canonical.WriteString(r.Method + "\n" + r.URL.EscapedPath() + "\n" + query(r.URL.Query(), url.QueryEscape))
	for _, n := range names {
		canonical.WriteString("\n" + n + ":" + strings.TrimSpace(signed[n]))
	}
	canonical.WriteString("\n" + unsigned)
	scope := day + "/" + o.Region + "/" + dlfProduct + "/" + dlfRequest
	hash := sha256.Sum256([]byte(canonical.String()))
	text := "DLF4-HMAC-SHA256\n" + stamp + "\n" + scope + "\n" + hex.EncodeToString(hash[:])
	k := mac(mac(mac(mac([]byte("aliyun_v4"+o.DLFSecret), day), o.Region), dlfProduct), dlfRequest)
	r.Header.Set("Authorization", "DLF4-HMAC-SHA256 Credential="+o.DLFKeyID+"/"+scope+",Signature="+hex.EncodeToString(mac(k, text)))
}

// query writes the parameters by name; one without a value is its name alone.
func query(q url.Values, escape func(string) string) string {
	var parts []string
	for k, vs := range q {
		for _, v := range vs {
			if v != "" {
				v = "=" + escape(v)
			}
			parts = append(parts, escape(k)+v)
		}
	}
	sort.Strings(parts)
	return strings.Join(parts, "&")
}

// signDLFOpenAPI signs a request in the older way of Alibaba's services
// (HMAC-SHA1 over the x-acs- headers).
func signDLFOpenAPI(r *http.Request, body []byte, o *PaimonOptions, now time.Time) {
	h := r.Header
	if h.Get("x-acs-signature-nonce") == "" {
		h.Set("x-acs-signature-nonce", uuid.NewString())
	}
	h.Set("Date", now.UTC().Format(http.TimeFormat))
	h.Set("Accept", "application/json")
	if len(body) > 0 {
		sum := md5.Sum(body)
		h.Set("Content-MD5", base64.StdEncoding.EncodeToString(sum[:]))
		h.Set("Content-Type", "application/json")
	}
	h.Set("x-acs-signature-method", "HMAC-SHA1")
	h.Set("x-acs-signature-version", "1.0")
	h.Set("x-acs-version", "2026-01-18")
	if o.DLFToken != "" {
		h.Set("x-acs-security-token", o.DLFToken)
	}
	var names []string
	for n := range h {
		if low := strings.ToLower(n); strings.HasPrefix(low, "x-acs-") {
			names = append(names, low)
		}
	}
	sort.Strings(names)
	text := strings.Join([]string{r.Method, h.Get("Accept"), h.Get("Content-MD5"), h.Get("Content-Type"), h.Get("Date")}, "\n") + "\n"
	for _, n := range names {
		text += n + ":" + strings.TrimSpace(h.Get(n)) + "\n"
	}
	text += r.URL.Path
	if q := query(r.URL.Query(), func(v string) string { return v }); q != "" {
		text += "?" + q
	}
	m := hmac.New(sha1.New, []byte(o.DLFSecret))
	m.Write([]byte(text))
	h.Set("Authorization", "acs "+o.DLFKeyID+":"+base64.StdEncoding.EncodeToString(m.Sum(nil)))
}

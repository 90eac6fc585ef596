package objstore

import (
	"net/url"
	"regexp"
	"strings"

	"lakeserver/cherr"
)

// s3Place is where an address points: an endpoint, and bucket/key there.
type s3Place struct {
	scheme, host string // of the endpoint
	virtual      bool   // the bucket is part of the host's name
	region       string
	path         string // bucket/key; the key may hold a pattern
}

// virtualHost splits bucket.service.rest: the hosts of the known services.
var virtualHost = regexp.MustCompile(`^(.+)\.(s3express[\-a-z0-9]+|s3|cos|obs|oss|oss-[a-z0-9\-]+|eos|storage)([.\-][a-z0-9\-.:]+)$`)

var awsRegion = regexp.MustCompile(`(?:^|\.)s3[.\-](?:dualstack\.|fips\.)?([a-z]{2}(?:-[a-z]+)+-\d+)\.amazonaws\.com`)

// parseS3 reads an address of S3 or of a service that speaks it.
func parseS3(address string, a *Access, style string) (p s3Place, err error) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok || rest == "" {
		return p, badAddress("is not a URL")
	}
	if at := strings.IndexByte(rest, '@'); at >= 0 && !strings.Contains(rest[:at], "/") {
		return p, badAddress("may hold no user")
	}
	switch scheme = strings.ToLower(scheme); scheme {
	case "http", "https":
	default:
		return mappedS3(scheme, rest, a)
	}
	host, path, _ := strings.Cut(rest, "/")
	if strings.Contains(path, "X-Amz-Signature=") || strings.Contains(path, "AWSAccessKeyId=") {
		return p, cherr.New(cherr.NotImplemented, "Signed addresses are read with url(), not as S3 objects")
	}
	if path, err = unescape(path); err != nil {
		return p, err
	}
	p = s3Place{scheme: scheme, host: strings.ToLower(host), path: path}
	if err := p.check(); err != nil {
		return p, err
	}
	if m := virtualHost.FindStringSubmatch(p.host); m != nil && style != "path" {
		p.virtual, p.host, p.path = true, m[2]+m[3], m[1]+"/"+path
	} else if style == "virtual_hosted" {
		return p, badAddress("has no bucket in its host's name")
	}
	p.region = regionOf(p.host)
	if strings.Trim(p.path, "/") == "" {
		return p, badAddress("names no bucket")
	}
	return p, nil
}

func badAddress(what string) error {
	return cherr.New(cherr.BadArguments, "The address of the object store %s", what)
}

func (p *s3Place) check() error {
	u, err := url.Parse(p.scheme + "://" + p.host + "/")
	if err != nil || u.Hostname() == "" || u.User != nil {
		return badAddress("has no valid host")
	}
	return nil
}

func unescape(path string) (string, error) {
	if !strings.Contains(path, "%") {
		return path, nil
	}
	out, err := url.PathUnescape(path)
	if err != nil {
		return "", badAddress("has a wrong percent sign")
	}
	return out, nil
}

// mappedS3 reads s3://bucket/key and its like, as ClickHouse's
// url_scheme_mappers do.
func mappedS3(scheme, rest string, a *Access) (p s3Place, err error) {
	bucket, _, _ := strings.Cut(rest, "/")
	p = s3Place{scheme: "https", path: rest}
	switch {
	case bucket == "":
		return p, badAddress("names no bucket")
	case a.Endpoint != "":
		ep := a.Endpoint
		if !strings.Contains(ep, "://") {
			ep = "https://" + ep
		}
		p.scheme, p.host, _ = strings.Cut(ep, "://")
		p.host = strings.ToLower(strings.TrimRight(p.host, "/"))
		if i := strings.IndexByte(p.host, '/'); i >= 0 {
			return p, badAddress("has an endpoint with a path")
		}
		p.virtual = a.PathStyle != nil && !*a.PathStyle
	case scheme == "gs" || scheme == "gcs":
		p.host = "storage.googleapis.com"
	case scheme == "oss":
		p.host, p.virtual = "oss.aliyuncs.com", true
		if a.Region != "" {
			p.host = "oss-" + a.Region + ".aliyuncs.com"
		}
	case a.Region != "":
		p.host, p.virtual = "s3."+a.Region+".amazonaws.com", true
	default:
		p.host, p.virtual = "s3.amazonaws.com", true
	}
	p.region = regionOf(p.host)
	return p, p.check()
}

func regionOf(host string) string {
	if m := awsRegion.FindStringSubmatch(host); m != nil {
		return m[1]
	}
	return ""
}

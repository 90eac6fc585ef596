package objstore

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/minio/minio-go/v7"

	"lakeserver/cherr"
)

func conditions(opt PutOptions) minio.PutObjectOptions {
	o := minio.PutObjectOptions{DisableMultipart: true, DisableContentSha256: true} // the sum is given, not streamed
	if opt.IfAbsent {
		o.SetMatchETagExcept("*")
	}
	if opt.IfMatch != "" {
		o.SetMatchETag(opt.IfMatch)
	}
	return o
}

// put writes an object in one request.
func (s *s3) put(ctx context.Context, key string, body []byte, opt PutOptions) (Object, error) {
	if opt.IfAbsent {
		if err := s.conditional(ctx, key); err != nil {
			return Object{}, err
		}
	}
	return s.putOnce(ctx, key, body, opt)
}

func (s *s3) putOnce(ctx context.Context, key string, body []byte, opt PutOptions) (Object, error) {
	bucket, name := split(key)
	if name == "" {
		return Object{}, cherr.New(cherr.PathAccessDenied, "Path `%s` names no object", key)
	}
	sum, digest := sha256.Sum256(body), md5.Sum(body)
	info, err := s.client.Load().PutObject(ctx, bucket, name, bytes.NewReader(body), int64(len(body)),
		base64.StdEncoding.EncodeToString(digest[:]), hex.EncodeToString(sum[:]), conditions(opt))
	if err != nil {
		return Object{}, s.refusedPut(err, key, opt)
	}
	return Object{Size: int64(len(body)), ETag: strings.Trim(info.ETag, `"`), Modified: info.LastModified}, nil
}

// refusedPut tells a condition that did not hold from a failure.
func (s *s3) refusedPut(err error, key string, opt PutOptions) error {
	r := minio.ToErrorResponse(err)
	if r.StatusCode == http.StatusPreconditionFailed || opt.IfMatch != "" && r.Code == "NoSuchKey" {
		if opt.IfMatch != "" {
			return ErrChanged
		}
		return ErrExists
	}
	return s.failed(err, key, "writing")
}

// conditional makes sure, once a bucket, that the store refuses a second
// write under If-None-Match: where it does not, two commits could both win.
func (s *s3) conditional(ctx context.Context, key string) error {
	if strings.HasSuffix(s.place.host, ".amazonaws.com") {
		return nil // documented, and true of every region
	}
	bucket, _ := split(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err, ok := s.checked[bucket]; ok {
		return err
	}
	probe := probeName(key)
	if _, err := s.putOnce(ctx, probe, []byte("1"), PutOptions{IfAbsent: true}); err != nil && err != ErrExists {
		return s.notSent(err)
	}
	_, err := s.putOnce(ctx, probe, []byte("2"), PutOptions{IfAbsent: true})
	// What stays behind when this fails is an empty name nobody reads.
	_ = s.remove(context.WithoutCancel(ctx), probe)
	switch {
	case err == ErrExists:
		s.checked[bucket] = nil
		return nil
	case err == nil:
		err = cherr.New(cherr.NotImplemented, "The store at %s ignores If-None-Match: two commits at once could both seem to succeed, so that tables there are not written", s.place.host)
		s.checked[bucket] = err
		return err
	}
	return s.notSent(err)
}

// notSent is the failure of a request that came before the one that counts.
func (s *s3) notSent(err error) error {
	if isAgain(err) {
		return &failure{err: plain(err), again: true}
	}
	return err
}

// s3Mark names the mark in an object's metadata.
const s3Mark = "Upload"

// s3Upload is a multipart upload.
type s3Upload struct {
	s     *s3
	key   string
	id    string
	mark  string // in the object's metadata: whose content it is
	opt   PutOptions
	parts []minio.CompletePart
	size  int64
}

func (s *s3) upload(ctx context.Context, key string, opt PutOptions) (upload, error) {
	if opt.IfAbsent {
		if err := s.conditional(ctx, key); err != nil {
			return nil, err
		}
	}
	bucket, name := split(key)
	mark := newMark()
	id, err := s.client.Load().NewMultipartUpload(ctx, bucket, name, minio.PutObjectOptions{UserMetadata: map[string]string{s3Mark: mark}})
	if err != nil {
		return nil, s.failed(err, key, "writing")
	}
	return &s3Upload{s: s, key: key, id: id, mark: mark, opt: opt}, nil
}

func (u *s3Upload) part(ctx context.Context, number int, data []byte) error {
	bucket, name := split(u.key)
	sum, digest := sha256.Sum256(data), md5.Sum(data)
	p, err := u.s.client.Load().PutObjectPart(ctx, bucket, name, u.id, number, bytes.NewReader(data), int64(len(data)), minio.PutObjectPartOptions{
		Md5Base64: base64.StdEncoding.EncodeToString(digest[:]), Sha256Hex: hex.EncodeToString(sum[:]), DisableContentSha256: true,
	})
	if err != nil {
		return u.s.failed(err, u.key, "writing")
	}
	u.size += int64(len(data))
	u.parts = append(u.parts, minio.CompletePart{PartNumber: number, ETag: p.ETag})
	return nil
}

func (u *s3Upload) finish(ctx context.Context) (Object, error) {
	bucket, name := split(u.key)
	info, err := u.s.client.Load().CompleteMultipartUpload(ctx, bucket, name, u.id, u.parts, conditions(u.opt))
	if err != nil {
		return Object{}, u.s.refusedPut(err, u.key, u.opt)
	}
	return Object{Size: u.size, ETag: strings.Trim(info.ETag, `"`), Modified: info.LastModified}, nil
}

func (u *s3Upload) landed(ctx context.Context) (Object, bool) {
	bucket, name := split(u.key)
	info, err := u.s.client.Load().StatObject(ctx, bucket, name, minio.StatObjectOptions{})
	return described(info), err == nil && info.UserMetadata[s3Mark] == u.mark
}

func (u *s3Upload) abort(ctx context.Context) error {
	bucket, name := split(u.key)
	return u.s.client.Load().AbortMultipartUpload(ctx, bucket, name, u.id)
}

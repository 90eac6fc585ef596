package storage

import "strings"

// S3 is url[, NOSIGN | access_key_id, secret_access_key[, session_token]][,
// format[, structure[, compression_method[, partition_strategy,
// partition_columns_in_data_file]]]], with headers(…) and
// extra_credentials(role_arn = …) anywhere.
var S3 = &Form{
	kind: "s3", keys: s3Keys, required: "url", max: 10,
	help: "url[, NOSIGN | access_key_id, secret_access_key[, session_token]][, format[, structure[, compression_method]]][, headers(…)][, extra_credentials(…)]",
	read: readS3,
}

// readS3 tells by what stands in their places which of the optional arguments
// are given, as ClickHouse does: a format's name ends the credentials.
func readS3(a *arguments) error {
	a.url, _ = a.next()
	second, ok := a.peek()
	switch {
	case !ok:
		return nil
	case strings.EqualFold(second, "NOSIGN"):
		a.next()
		a.access.NoSign = true
	case isFormat(second) || len(a.rest) == 1:
	default:
		a.access.KeyID, _ = a.next()
		a.access.Secret, _ = a.next()
		if t, ok := a.peek(); ok && !isFormat(t) {
			a.access.Token, _ = a.next()
		}
		if a.access.KeyID == "" && a.access.Secret == "" { // as if not given
			a.access.Token = ""
		}
	}
	a.formats()
	return nil
}

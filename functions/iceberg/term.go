package iceberg

import (
	"fmt"
	"strconv"
	"strings"

	"lakeserver/cherr"
	"lakeserver/metadata/iceberg"
	"lakeserver/table"
)

// transformFunctions are the functions of PARTITION BY and ORDER BY: those
// that ClickHouse has, and the names that Spark gives them.
var transformFunctions = map[string]iceberg.TransformKind{
	"identity": iceberg.Identity, "icebergBucket": iceberg.Bucket, "icebergTruncate": iceberg.Truncate,
	"toYearNumSinceEpoch": iceberg.Year, "toMonthNumSinceEpoch": iceberg.Month,
	"toRelativeDayNum": iceberg.Day, "toRelativeHourNum": iceberg.Hour,
	"bucket": iceberg.Bucket, "truncate": iceberg.Truncate,
	"years": iceberg.Year, "months": iceberg.Month, "days": iceberg.Day, "hours": iceberg.Hour,
}

// transformOf reads a term as a transform.
func transformOf(t *table.Term) (iceberg.Transform, error) {
	if t.Function == "" {
		return iceberg.Transform{Kind: iceberg.Identity}, nil
	}
	kind, ok := transformFunctions[t.Function]
	if !ok {
		return iceberg.Transform{}, cherr.New(cherr.BadArguments, "Unsupported function for iceberg partitioning %s.", t.Function)
	}
	out := iceberg.Transform{Kind: kind}
	switch kind {
	case iceberg.Bucket, iceberg.Truncate:
		if len(t.Args) != 1 {
			return out, cherr.New(cherr.BadArguments, "%s: a number and a column are expected", t.Text)
		}
		n, err := strconv.Atoi(fmt.Sprint(t.Args[0]))
		if err != nil || n <= 0 || n > 1<<31-1 {
			return out, cherr.New(cherr.BadArguments, "%s: the first argument must be a positive number", t.Text)
		}
		out.N = n
	default:
		if len(t.Args) != 0 {
			return out, cherr.New(cherr.BadArguments, "%s: only a column is expected", t.Text)
		}
	}
	return out, nil
}

// termText is the SQL of a transform over a column in SQL, "" for one that SQL
// has no word for.
func termText(column string, t iceberg.Transform) string {
	switch t.Kind {
	case iceberg.Identity:
		return column
	case iceberg.Bucket:
		return "icebergBucket(" + strconv.Itoa(t.N) + ", " + column + ")"
	case iceberg.Truncate:
		return "icebergTruncate(" + strconv.Itoa(t.N) + ", " + column + ")"
	case iceberg.Year:
		return "toYearNumSinceEpoch(" + column + ")"
	case iceberg.Month:
		return "toMonthNumSinceEpoch(" + column + ")"
	case iceberg.Day:
		return "toRelativeDayNum(" + column + ")"
	case iceberg.Hour:
		return "toRelativeHourNum(" + column + ")"
	}
	return ""
}

// quoteName quotes a name where SQL needs it.
func quoteName(s string) string {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`").Replace(s) + "`"
		}
	}
	return s
}

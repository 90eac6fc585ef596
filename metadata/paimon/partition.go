package paimon

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"lakeserver/column"
	"lakeserver/types"
)

// DefaultPartitionName stands for NULL, empty and blank values in folder names.
const DefaultPartitionName = "__DEFAULT_PARTITION__"

// PostponeBucket is the number of the bucket where rows wait for a compaction
// to give them a real one.
const PostponeBucket = -2

// PartitionNames says how partition values become folder names.
type PartitionNames struct {
	Fields  []Field
	Default string
	SQL     bool // values as SQL prints them; else as Java prints what is stored
}

// PartitionNames gives the table's way of naming partition folders.
func (s *Schema) PartitionNames() PartitionNames {
	n := PartitionNames{Fields: s.PartitionFields(), Default: s.Options["partition.default-name"]}
	if n.Default == "" {
		n.Default = DefaultPartitionName
	}
	n.SQL = strings.EqualFold(s.Options["partition.legacy-name"], "false")
	return n
}

// Path gives the folders of a partition: "k=v/k2=v2/", "" without partition
// columns.
func (n PartitionNames) Path(partition column.Row) string {
	var b strings.Builder
	for i, f := range n.Fields {
		b.WriteString(EscapePath(f.Name))
		b.WriteByte('=')
		b.WriteString(EscapePath(n.Text(i, partition[i])))
		b.WriteByte('/')
	}
	return b.String()
}

// Text gives the text of a partition value, before it is escaped.
func (n PartitionNames) Text(i int, v column.Value) string {
	if v == nil {
		return n.Default
	}
	text := ""
	if n.SQL {
		text = ValueText(n.Fields[i].Type, v)
	} else {
		text = LegacyText(n.Fields[i].Type, v)
	}
	if strings.TrimSpace(text) == "" {
		return n.Default
	}
	return text
}

// BucketFolder gives the name of a bucket's folder.
func BucketFolder(bucket int) string {
	if bucket == PostponeBucket {
		return "bucket-postpone"
	}
	return "bucket-" + strconv.Itoa(bucket)
}

const escaped = "\"#%'*/:=?\\{}[]^\x7f"

// EscapePath writes the characters that may not stand in a folder name as
// percent and two digits.
func EscapePath(s string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if c < 0x20 || strings.IndexByte(escaped, c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// LegacyText is what Java's toString gives of the stored form.
func LegacyText(t *Type, v column.Value) string {
	switch t.Kind {
	case Date:
		return strconv.FormatInt(int64(v.(int32)), 10)
	case Time:
		return strconv.FormatInt(v.(int64)/1000, 10)
	case Timestamp, TimestampLTZ:
		return isoDateTime(timeOf(t, v.(int64)))
	}
	return ValueText(t, v)
}

func timeOf(t *Type, v int64) time.Time {
	millis, nanos := splitTimestamp(v, t.Precision)
	return time.UnixMilli(millis).Add(time.Duration(nanos)).UTC()
}

// isoDateTime leaves out zero seconds and groups the fraction by threes.
func isoDateTime(at time.Time) string {
	s := isoDate(at) + at.Format("T15:04")
	ns := at.Nanosecond()
	if at.Second() == 0 && ns == 0 {
		return s
	}
	s += at.Format(":05")
	switch {
	case ns == 0:
		return s
	case ns%1e6 == 0:
		return s + fmt.Sprintf(".%03d", ns/1e6)
	case ns%1e3 == 0:
		return s + fmt.Sprintf(".%06d", ns/1e3)
	}
	return s + fmt.Sprintf(".%09d", ns)
}

// isoDate writes years beyond four digits as Java does.
func isoDate(at time.Time) string {
	y := at.Year()
	switch {
	case y > 9999:
		return fmt.Sprintf("+%d", y) + at.Format("-01-02")
	case y < 0:
		return fmt.Sprintf("-%04d", -y) + at.Format("-01-02")
	}
	return fmt.Sprintf("%04d", y) + at.Format("-01-02")
}

// ValueText is what Paimon's SQL gives when a value is cast to text.
func ValueText(t *Type, v column.Value) string { // long: one case a type
	switch x := v.(type) {
	case nil:
		return "null"
	case uint8:
		return strconv.FormatBool(x != 0)
	case int8:
		return strconv.FormatInt(int64(x), 10)
	case int16:
		return strconv.FormatInt(int64(x), 10)
	case int32:
		switch t.Kind {
		case Date:
			return isoDate(time.Unix(int64(x)*86400, 0).UTC())
		case Decimal:
			return decimalText(big.NewInt(int64(x)), t.Scale)
		}
		return strconv.FormatInt(int64(x), 10)
	case int64:
		switch t.Kind {
		case Decimal:
			return decimalText(big.NewInt(x), t.Scale)
		case Time:
			return timeText(x, t.Precision)
		case Timestamp, TimestampLTZ:
			at := timeOf(t, x)
			s := isoDate(at) + at.Format(" 15:04:05")
			if t.Precision > 0 {
				s += fmt.Sprintf(".%09d", at.Nanosecond())[:t.Precision+1]
			}
			return s
		}
		return strconv.FormatInt(x, 10)
	case float32:
		return JavaFloat(float64(x), 32)
	case float64:
		return JavaFloat(x, 64)
	case types.I128:
		return decimalText(x.Big(), t.Scale)
	case string:
		return x
	}
	return fmt.Sprint(v)
}

// timeText leaves out zeros at the end of the fraction, all but the first.
func timeText(micros int64, precision int) string {
	at := time.UnixMicro(micros).UTC()
	s := at.Format("15:04:05")
	if precision <= 0 {
		return s
	}
	frac := fmt.Sprintf("%09d", at.Nanosecond())[:min(precision, 9)]
	frac = strings.TrimRight(frac, "0")
	if frac == "" {
		frac = "0"
	}
	return s + "." + frac
}

func decimalText(v *big.Int, scale int) string {
	digits := new(big.Int).Abs(v).String()
	if scale > 0 {
		for len(digits) <= scale {
			digits = "0" + digits
		}
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if v.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// JavaFloat is Float.toString and Double.toString: the fewest digits that read
// back, at least one behind the point, with an exponent below 1e-3 and from 1e7 on.
func JavaFloat(f float64, bits int) string {
	switch {
	case f != f:
		return "NaN"
	case f > 1.7976931348623157e308:
		return "Infinity"
	case f < -1.7976931348623157e308:
		return "-Infinity"
	case f == 0:
		if 1/f < 0 {
			return "-0.0"
		}
		return "0.0"
	}
	a := f
	if a < 0 {
		a = -a
	}
	if a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(f, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	mantissa, exp, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, bits), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exp)
	return mantissa + "E" + strconv.Itoa(n)
}

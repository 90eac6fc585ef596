package iceberg

// SortOrder is a claim of order that data files may make. Id 0 is no order.
type SortOrder struct {
	ID     int         `json:"order-id"`
	Fields []SortField `json:"fields"`

	unknown []member
}

// UnmarshalJSON reads a sort order.
func (o *SortOrder) UnmarshalJSON(b []byte) (err error) {
	type plain SortOrder
	o.unknown, err = decode(b, (*plain)(o), "order-id", "fields")
	return err
}

// MarshalJSON writes a sort order.
func (o SortOrder) MarshalJSON() ([]byte, error) {
	type plain SortOrder
	if o.Fields == nil {
		o.Fields = []SortField{}
	}
	return encode(plain(o), o.unknown)
}

func (o *SortOrder) sameAs(p *SortOrder) bool {
	if len(o.Fields) != len(p.Fields) {
		return false
	}
	for i := range o.Fields {
		a, b := &o.Fields[i], &p.Fields[i]
		if a.SourceID != b.SourceID || a.Transform != b.Transform || a.Direction != b.Direction || a.NullOrder != b.NullOrder {
			return false
		}
	}
	return true
}

// The words of sort fields.
const (
	Ascending  = "asc"
	Descending = "desc"
	NullsFirst = "nulls-first"
	NullsLast  = "nulls-last"
)

// SortField is one key of a sort order.
type SortField struct {
	Transform string `json:"transform"`
	SourceID  int    `json:"source-id"`
	Direction string `json:"direction"`
	NullOrder string `json:"null-order"`

	unknown []member
}

// UnmarshalJSON reads a sort field.
func (f *SortField) UnmarshalJSON(b []byte) (err error) {
	type plain SortField
	f.unknown, err = decode(b, (*plain)(f), "transform", "source-id", "direction", "null-order")
	return err
}

// MarshalJSON writes a sort field; one of several columns has source-ids alone.
func (f SortField) MarshalJSON() ([]byte, error) {
	type plain SortField
	for _, m := range f.unknown {
		if m.Key == "source-ids" && f.SourceID == 0 {
			return encode(struct {
				Transform string `json:"transform"`
				Direction string `json:"direction"`
				NullOrder string `json:"null-order"`
			}{f.Transform, f.Direction, f.NullOrder}, f.unknown)
		}
	}
	return encode(plain(f), f.unknown)
}

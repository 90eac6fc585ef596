package functions

import (
	"lakeserver/cherr"
	"lakeserver/settings"
	"lakeserver/types"
)

// maxFixedString is the longest FixedString that does not look like a mistake.
const maxFixedString = 256

// apart: types that are numbers or text only by their form.
func apart(t *types.Type) bool {
	t = types.Unwrap(t)
	return t.Kind() == types.KindBool || t.Kind() == types.KindIPv4 || t.Kind() == types.KindIPv6 || t.IsEnum()
}

// CheckType refuses types that a user names and hardly means, unless a setting
// allows them: LowCardinality of anything but text, a long FixedString, and a
// Variant of types that have a common one.
func CheckType(set *settings.Settings, t *types.Type) error {
	switch t.Kind() {
	case types.KindLowCardinality:
		if !types.Unwrap(t).IsString() && !set.Bool("allow_suspicious_low_cardinality_types") {
			return cherr.New(cherr.SuspiciousTypeForLowCardinality,
				"Creating columns of type %s is prohibited by default due to expected negative impact on performance. It can be enabled with the `allow_suspicious_low_cardinality_types` setting", t)
		}
	case types.KindFixedString:
		if t.Length() > maxFixedString && !set.Bool("allow_suspicious_fixed_string_types") {
			return cherr.New(cherr.IllegalColumn,
				"Cannot create column with type '%s' because fixed string with size > %d is suspicious. Set setting allow_suspicious_fixed_string_types = 1 in order to allow it", t, maxFixedString)
		}
	case types.KindVariant:
		if set.Bool("allow_suspicious_variant_types") {
			break
		}
		for i, a := range t.Elems() {
			for _, b := range t.Elems()[:i] {
				if apart(a) || apart(b) {
					continue
				}
				if super, err := types.Super(types.WithoutLowCardinality(a), types.WithoutLowCardinality(b)); err == nil && super.Kind() != types.KindVariant {
					return cherr.New(cherr.IllegalColumn,
						"Cannot create column with type '%s' because variants '%s' and '%s' have similar types and working with values of these types may lead to ambiguity. Consider using common single variant '%s' instead of these 2 variants or set setting allow_suspicious_variant_types = 1 in order to allow it", t, b, a, super)
				}
			}
		}
	}
	for _, e := range t.Elems() {
		if err := CheckType(set, e); err != nil {
			return err
		}
	}
	return nil
}

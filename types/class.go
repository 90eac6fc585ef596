package types

// IsUnsigned tells whether t is UInt8 … UInt256.
func (t *Type) IsUnsigned() bool { return t.kind >= KindUInt8 && t.kind <= KindUInt256 }

// IsSigned tells whether t is Int8 … Int256.
func (t *Type) IsSigned() bool { return t.kind >= KindInt8 && t.kind <= KindInt256 }

// IsInteger tells whether t is a signed or unsigned integer (not Bool).
func (t *Type) IsInteger() bool { return t.kind >= KindUInt8 && t.kind <= KindInt256 }

// IsFloat tells whether t is Float32, Float64 or BFloat16.
func (t *Type) IsFloat() bool { return t.kind >= KindFloat32 && t.kind <= KindBFloat16 }

// IsDecimal tells whether t is a Decimal.
func (t *Type) IsDecimal() bool { return t.kind >= KindDecimal32 && t.kind <= KindDecimal256 }

// IsNumber tells whether t is an integer, Bool, float or Decimal.
func (t *Type) IsNumber() bool { return t.kind >= KindUInt8 && t.kind <= KindDecimal256 }

// IsNativeNumber tells whether t is an integer, Bool or float.
func (t *Type) IsNativeNumber() bool { return t.kind >= KindUInt8 && t.kind <= KindBool }

// IsString tells whether t is String or FixedString.
func (t *Type) IsString() bool { return t.kind == KindString || t.kind == KindFixedString }

// IsDateOrTime tells whether t is Date, Date32, DateTime or DateTime64.
func (t *Type) IsDateOrTime() bool {
	return t.kind == KindDate || t.kind == KindDate32 || t.kind == KindDateTime || t.kind == KindDateTime64
}

// IsEnum tells whether t is Enum8 or Enum16.
func (t *Type) IsEnum() bool { return t.kind == KindEnum8 || t.kind == KindEnum16 }

// Bytes gives the width of a fixed-width value, 0 for the others.
func (t *Type) Bytes() int { return physicalBytes[t.Physical()] }

var physicalBytes = [...]int{
	PhysUInt8: 1, PhysUInt16: 2, PhysUInt32: 4, PhysUInt64: 8, PhysUInt128: 16, PhysUInt256: 32,
	PhysInt8: 1, PhysInt16: 2, PhysInt32: 4, PhysInt64: 8, PhysInt128: 16, PhysInt256: 32,
	PhysFloat32: 4, PhysFloat64: 8, PhysIPv6: 16, PhysVariant: 0,
}

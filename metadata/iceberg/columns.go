package iceberg

// Reserved field ids of metadata columns.
const (
	RowIDField       = 2147483540
	LastUpdatedField = 2147483539
	DeleteFilePathID = 2147483546
	DeletePosID      = 2147483545
	DeleteRowID      = 2147483544
)

package iceberg

// migrate makes a folder of Parquet files all that an empty table has.
var migrateFolder = importProcedure("migrate", true)

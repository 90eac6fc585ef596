"""Writes the files of this folder with PyArrow (26.0): things that arrow-go does not write."""
import datetime

import pyarrow as pa
import pyarrow.parquet as pq

rows = 200
table = pa.table({
    "a": pa.array([None if i % 7 == 0 else i * 31 for i in range(rows)], type=pa.int64()),
    "s": pa.array([f"text {i % 13}" for i in range(rows)]),
})
for version in ("1.0", "2.0"):
    pq.write_table(table, f"checksum_v{version[0]}.parquet", write_page_checksum=True, compression="zstd",
                   data_page_version=version, use_dictionary=["s"])
stamps = [datetime.datetime(1969, 12, 31, 23, 59, 59, 999999), datetime.datetime(2024, 2, 29, 1, 2, 3, 4), None]
pq.write_table(pa.table({"t": pa.array(stamps, type=pa.timestamp("ns"))}), "int96.parquet",
               use_deprecated_int96_timestamps=True)

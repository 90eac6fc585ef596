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

rows = 2000
words = [None if i % 11 == 0 else f"word {i * i % 1500}" for i in range(rows)]
table = pa.table({
    "s": pa.array(words),
    "i": pa.array([None if w is None else len(w) * i for i, w in enumerate(words)], type=pa.int64()),
    "solid": pa.array([f"{i * 7 % 1999}" for i in range(rows)]),
    "l": pa.array([None if i % 5 == 0 else words[i:i + i % 4] for i in range(rows)]),
    "st": pa.array([None if i % 9 == 0 else {"x": w, "y": i} for i, w in enumerate(words)]),
})
pq.write_table(table, "fallback.parquet", dictionary_pagesize_limit=2000, data_page_size=500, write_batch_size=50,
               compression="zstd")

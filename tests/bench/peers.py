"""One engine that does what it is told: python peers.py ENGINE FOLDER ROWS, then a step a line on stdin; an answer of JSON each.

ENGINE is chdb, duckdb or spark; ROWS a pattern of Parquet files. Steps: insert, delete, rewrite.
"""
import glob
import json
import os
import resource
import sys
import time

engine, folder, rows = sys.argv[1:4]
os.makedirs(folder, exist_ok=True)
DELETED = "CounterID % 100 = 7"


class Chdb:
    def __init__(self):
        from chdb import session
        self.s = session.Session(os.path.join(folder, "db"))
        self.s.query("SET allow_insert_into_iceberg = 1, max_threads = 2")
        self.source = f"file('{rows}', Parquet)"
        columns = str(self.s.query(f"SELECT arrayStringConcat(groupArray('`' || name || '` ' || type), ', ') FROM (DESCRIBE {self.source})", "TSVRaw")).strip()
        self.s.query(f"CREATE TABLE t ({columns}) ENGINE = IcebergLocal('{folder}/t/')")

    def insert(self):
        self.s.query(f"INSERT INTO t SELECT * FROM {self.source}")

    def delete(self):
        self.s.query(f"ALTER TABLE t DELETE WHERE {DELETED} SETTINGS mutations_sync = 2")


class Duckdb:
    """Without a catalog DuckDB writes no Iceberg table: its data file alone, which is less than an INSERT."""

    def __init__(self):
        import duckdb
        self.c = duckdb.connect()
        self.c.execute("SET threads = 2")

    def insert(self):
        self.c.execute(f"COPY (SELECT * FROM read_parquet('{rows}')) TO '{folder}/t.parquet' (FORMAT parquet, COMPRESSION zstd)")


class Spark:
    def __init__(self):
        from pyspark.sql import SparkSession
        jar = os.environ.get("ICEBERG_JAR") or sorted(glob.glob(os.path.expanduser("~/.m2/repository/org/apache/iceberg/iceberg-spark-runtime-4*/*/*.jar")))[-1]
        self.s = (SparkSession.builder.master("local[2]").config("spark.jars", jar).config("spark.driver.extraClassPath", jar)
                  .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
                  .config("spark.sql.catalog.c", "org.apache.iceberg.spark.SparkCatalog").config("spark.sql.catalog.c.type", "hadoop")
                  .config("spark.sql.catalog.c.warehouse", "file:" + folder).config("spark.ui.enabled", "false")
                  .config("spark.driver.memory", "6g").getOrCreate())
        self.s.sparkContext.setLogLevel("OFF")
        self.s.sql(f"CREATE TABLE c.d.t USING iceberg TBLPROPERTIES ('write.spark.fanout.enabled' = 'true') AS SELECT * FROM parquet.`{os.path.dirname(rows)}` LIMIT 0")

    def insert(self):
        self.s.read.parquet(os.path.dirname(rows)).repartition(40).writeTo("c.d.t").append()

    def rewrite(self):
        self.s.sql("CALL c.system.rewrite_data_files(table => 'd.t', options => map('rewrite-all', 'true', 'max-concurrent-file-group-rewrites', '2'))").collect()


def cpu():
    """Seconds of this process, and of the virtual machine below it."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    total = mine.ru_utime + mine.ru_stime
    for task in glob.glob(f"/proc/{os.getpid()}/task/*/children"):
        for child in open(task).read().split():
            fields = open(f"/proc/{child}/stat").read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


peer = {"chdb": Chdb, "duckdb": Duckdb, "spark": Spark}[engine]()
print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    began, used = time.monotonic(), cpu()
    getattr(peer, line.strip())()
    print(json.dumps({"seconds": time.monotonic() - began, "cpu": cpu() - used}), flush=True)

"""Writes evolution.json: what PyIceberg makes of changes of schema and spec.

    python evolution.py > evolution.json        # needs pyiceberg[sql-sqlite]
"""
import json, sys, tempfile
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import parse_transform
from pyiceberg.types import NestedField

SCHEMA = {"type": "struct", "fields": [
    {"id": 1, "name": "id", "type": "long", "required": True},
    {"id": 2, "name": "i", "type": "int", "required": True},
    {"id": 3, "name": "f", "type": "float", "required": False},
    {"id": 4, "name": "d", "type": "decimal(5, 2)", "required": False},
    {"id": 5, "name": "ts", "type": "timestamp", "required": False},
    {"id": 6, "name": "s", "type": "string", "required": False, "doc": "text"},
    {"id": 7, "name": "st", "required": False, "type": {"type": "struct", "fields": [
        {"id": 8, "name": "x", "type": "int", "required": True}, {"id": 9, "name": "y", "type": "string", "required": False}]}},
    {"id": 10, "name": "arr", "required": False, "type": {"type": "list", "element-id": 11, "element-required": True, "element": {"type": "struct", "fields": [
        {"id": 12, "name": "k", "type": "int", "required": False}]}}},
    {"id": 13, "name": "m", "required": False, "type": {"type": "map", "key-id": 14, "key": "string", "value-id": 15, "value-required": False, "value": {"type": "struct", "fields": [
        {"id": 16, "name": "v", "type": "float", "required": False}]}}},
]}
STRUCT = {"type": "struct", "fields": [{"id": 1, "name": "a", "type": "int", "required": False},
          {"id": 2, "name": "l", "required": False, "type": {"type": "list", "element-id": 3, "element": "string", "element-required": False}},
          {"id": 4, "name": "b", "type": "date", "required": False}]}

CASES = {  # name: (versions, partition [(source, transform)], commits: lists of ops)
    "add": ([1, 2], [], [[["add", "n", "long"]], [["add", "z", "string", "about it"], ["add", "q", STRUCT]]]),
    "add places": ([2], [], [[["add", "a", "int"], ["first", "a"], ["add", "b", "int"], ["after", "b", "i"]]]),
    "add nested": ([2], [], [[["add", "st.z", "long"], ["add", "arr.element.l", "string"], ["add", "m.value.w", STRUCT]]]),
    "add nested places": ([2], [], [[["add", "st.z", "long"], ["first", "st.z"], ["after", "st.x", "st.y"]]]),
    "add existing": ([2], [], [[["add", "s", "int"]]]),
    "add into primitive": ([2], [], [[["add", "s.x", "int"]]]),
    "add required": ([2], [], [[["add", "r", "int!"]]]),
    "drop": ([1, 2], [], [[["drop", "f"]], [["add", "f", "float"]]]),
    "drop nested": ([2], [], [[["drop", "st.y"]]]),
    "drop unknown": ([2], [], [[["drop", "nosuch"]]]),
    "drop key": ([2], [], [[["drop", "m.key"]]]),
    "drop identifier": ([2], [], [[["identifiers", "id"]], [["drop", "id"]]]),
    "drop partition source": ([2], [["s", "identity"]], [[["drop", "s"]]]),
    "rename": ([1, 2], [], [[["rename", "i", "ii"]], [["rename", "st.x", "xx"], ["rename", "arr.element.k", "kk"]]]),
    "rename clash": ([2], [], [[["rename", "i", "f"]]]),
    "swap names": ([2], [], [[["rename", "i", "tmp"]], [["rename", "f", "i"]], [["rename", "tmp", "f"]]]),
    "rename partition source": ([2], [["s", "identity"]], [[["rename", "s", "ss"]]]),
    "widen": ([1, 2], [], [[["type", "i", "long"], ["type", "f", "double"], ["type", "d", "decimal(20, 2)"]], [["type", "st.x", "long"], ["type", "m.value.v", "double"]]]),
    "narrow": ([2], [], [[["type", "id", "int"]]]),
    "int to double": ([2], [], [[["type", "i", "double"]]]),
    "int to string": ([2], [], [[["type", "i", "string"]]]),
    "decimal scale": ([2], [], [[["type", "d", "decimal(9, 3)"]]]),
    "decimal narrow": ([2], [], [[["type", "d", "decimal(4, 2)"]]]),
    "timestamp to zone": ([2], [], [[["type", "ts", "timestamptz"]]]),
    "widen under bucket": ([2], [["i", "bucket[4]"]], [[["type", "i", "long"]]]),
    "optional": ([1, 2], [], [[["optional", "i"], ["optional", "st.x"], ["optional", "arr.element"]]]),
    "comment": ([2], [], [[["doc", "i", "number"], ["doc", "st.x", "inner"], ["doc", "s", ""]]]),
    "move": ([2], [], [[["first", "s"]], [["after", "id", "ts"]], [["after", "st", "m"]]]),
    "identifiers": ([2], [], [[["identifiers", "id", "i"]], [["identifiers", "i"]], [["identifiers"]]]),
    "identifier optional": ([2], [], [[["identifiers", "s"]]]),
    "identifier in list": ([2], [], [[["identifiers", "arr.element.k"]]]),
    "spec add": ([1, 2], [], [[["part", "id", "bucket[4]"]], [["part", "ts", "day"], ["part", "s", "truncate[3]"]]]),
    "spec all": ([2], [], [[["part", "id", "truncate[10]"], ["part", "ts", "month"], ["part", "i", "identity"]]]),
    "spec drop": ([1, 2], [["i", "identity"], ["id", "bucket[4]"]], [[["unpart", "i"]], [["part", "ts", "hour"]]]),
    "spec comes back": ([2], [["i", "identity"]], [[["unpart", "i"]], [["part", "i", "identity"]]]),
    "spec replaced": ([1, 2], [["id", "bucket[4]"]], [[["unpart", "id_bucket"], ["part", "ts", "year"]]]),
    "spec field returns": ([2], [["i", "identity"], ["id", "bucket[4]"]], [[["unpart", "i"]], [["part", "s", "identity"]], [["part", "i", "identity"]]]),
    "spec duplicate": ([2], [["id", "bucket[4]"]], [[["part", "id", "bucket[4]"]]]),
    "spec redundant": ([2], [["ts", "day"]], [[["part", "ts", "hour"]]]),
    "spec other buckets": ([2], [["id", "bucket[4]"]], [[["part", "id", "bucket[8]"]]]),
    "spec misfit": ([2], [], [[["part", "s", "year"]]]),
    "spec drop unknown": ([2], [], [[["unpart", "nosuch"]]]),
    "spec nested": ([2], [], [[["part", "st.x", "identity"]]]),
}


def schema_type(t):
    return NestedField.model_validate({"id": 1, "name": "x", "type": t, "required": False}).field_type


def apply(table, ops):
    schema = [o for o in ops if o[0] not in ("part", "unpart")]
    if schema:
        with table.update_schema() as u:
            for o in schema:
                path = tuple(o[1].split(".")) if len(o) > 1 else ()
                if o[0] == "add":
                    t = o[2]
                    required = isinstance(t, str) and t.endswith("!")
                    u.add_column(path, schema_type(t.rstrip("!") if required else t), doc=o[3] if len(o) > 3 else None, required=required)
                elif o[0] == "first":
                    u.move_first(path)
                elif o[0] == "after":
                    u.move_after(path, tuple(o[2].split(".")))
                elif o[0] == "drop":
                    u.delete_column(path)
                elif o[0] == "rename":
                    u.rename_column(path, o[2])
                elif o[0] == "type":
                    u.update_column(path, schema_type(o[2]))
                elif o[0] == "optional":
                    u.update_column(path, required=False)
                elif o[0] == "doc":
                    u.update_column(path, doc=o[2])
                elif o[0] == "identifiers":
                    u.set_identifier_fields(*o[1:])
    spec = [o for o in ops if o[0] in ("part", "unpart")]
    if spec:
        with table.update_spec() as u:
            for o in spec:
                if o[0] == "part":
                    u.add_field(o[1], parse_transform(o[2]))
                else:
                    u.remove_field(o[1])


def main():
    out = []
    with tempfile.TemporaryDirectory() as d:
        catalog = SqlCatalog("x", uri="sqlite:///" + d + "/c.db", warehouse="file://" + d)
        catalog.create_namespace("n")
        schema = Schema.model_validate(SCHEMA)
        for name, (versions, parts, commits) in CASES.items():
            for v in versions:
                fields = []
                for i, (source, transform) in enumerate(parts):
                    f = source if transform == "identity" else source + "_" + transform.split("[")[0]
                    fields.append(PartitionField(schema.find_field(source).field_id, 1000 + i, parse_transform(transform), f))
                table = catalog.create_table("n.t%d" % len(out), schema, partition_spec=PartitionSpec(*fields), properties={"format-version": str(v)})
                case = {"name": "%s v%d" % (name, v), "base": json.loads(table.metadata.model_dump_json(by_alias=True, exclude_none=True)), "commits": commits, "after": []}
                for ops in commits:
                    try:
                        apply(table, ops)
                    except Exception as e:
                        case["after"].append({"error": type(e).__name__ + ": " + str(e).split("\n")[0]})
                        break
                    m = json.loads(table.metadata.model_dump_json(by_alias=True, exclude_none=True))
                    case["after"].append({k: m[k] for k in ("schemas", "current-schema-id", "last-column-id", "partition-specs", "default-spec-id", "last-partition-id")})
                for k in ("location", "table-uuid"):
                    case["base"][k] = "x"
                case["base"]["last-updated-ms"] = 1
                out.append(case)
    json.dump(out, sys.stdout, indent=None, separators=(",", ":"))


main()

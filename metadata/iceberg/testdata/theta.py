"""Writes theta.json: sketches made by Apache DataSketches.

    python theta.py > theta.json        # needs datasketches
"""
import json, datasketches as d

out = []
for name, values in {
    "empty": [], "one": [34], "few": [0, 1, 2, 3, -1, 2**63 - 1], "texts": ["iceberg", "é", "a", "exactly sixteen.", "a text of more than sixteen bytes", "123456789"],
    "many": list(range(300)),
}.items():
    s = d.update_theta_sketch()
    for v in values:
        s.update(v)
    c = s.compact()
    out.append({"name": name, "values": values if len(values) < 100 else len(values), "bytes": c.serialize().hex(), "estimate": c.get_estimate()})
print(json.dumps(out))

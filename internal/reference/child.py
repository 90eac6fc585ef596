import json
import re
import sys

from chdb import session

s = session.Session()
for line in sys.stdin:
    q = json.loads(line)
    try:
        a = {"text": str(s.query(q["sql"], q["format"]))}
    except Exception as e:
        m = re.search(r"Code: (\d+)", str(e))
        # what an ended query had written comes with the next answer
        s.query("SELECT 0", "Null")
        a = {"code": int(m.group(1)) if m else 1002, "error": str(e)}
    sys.stdout.write(json.dumps(a) + "\n")
    sys.stdout.flush()

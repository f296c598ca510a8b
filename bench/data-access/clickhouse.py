"""Runs the statements of stdin, one JSON object a line, in a ClickHouse within this process; answers one line each."""

import json
import sys
import time

from chdb import session

(directory,) = sys.argv[1:]
database = session.Session(directory)
(version,) = json.loads(database.query("SELECT version()", "JSONCompactEachRow").bytes())
print(json.dumps({"version": version}), flush=True)
for line in sys.stdin:
    started = time.perf_counter()
    try:
        rows = database.query(json.loads(line), "JSONCompactEachRow").bytes().decode()
        ms = (time.perf_counter() - started) * 1000
        print(json.dumps({"ms": ms, "rows": [json.loads(row) for row in rows.splitlines()]}), flush=True)
    except Exception as error:
        print(json.dumps({"error": str(error)}), flush=True)

"""The query API of PostHog over the table `posthog.events`, from its published documentation."""

import json
import re

from hogql import QueryError, clickhouse

KEY = "phx_a-key-that-is-never-printed"
PATH = re.compile(r"^/api/projects/(\d+)/query/$")
PER_HOUR = 2_400
AT_ONCE = 3
# Settings that PostHog sets, of those that change what a query means.
SETTINGS = "SETTINGS readonly = 2, max_execution_time = 60, transform_null_in = 1"
asked, running = {}, {}


def answer(path, headers, body, run):
    """Status, headers and body. `run` returns the answer of ClickHouse in the format JSONCompact."""
    (team,) = map(int, PATH.match(path).groups())
    if headers.get("Authorization") != f"Bearer {KEY}":
        return refused(401, "authentication_failed", "Personal API key found in request is invalid.")
    if headers.get("Content-Type") != "application/json":
        return refused(415, "unsupported_media_type", "Unsupported media type in request.")
    given = json.loads(body)
    if given.get("refresh") not in [None, "blocking", "force_blocking"] or set(given) - {"query", "refresh", "client_query_id", "name"}:
        return refused(400, "invalid_input", "The request has an unknown field.")
    query = given["query"]
    if query.get("kind") != "HogQLQuery" or set(query) - {"kind", "query", "values"}:
        return refused(400, "invalid_input", "The query has an unknown field.")
    asked[team] = asked.get(team, 0) + 1
    if asked[team] > PER_HOUR:
        return refused(429, "throttled", "Request was throttled. Expected available in 1 second.", {"Retry-After": "1"})
    if running.get(team, 0) >= AT_ONCE:
        return refused(429, "throttled", "Concurrency limit exceeded.")
    running[team] = running.get(team, 0) + 1
    try:
        # Of an even project, no value is known to be NULL.
        sql = clickhouse(query["query"], team, nullable=team % 2 == 1)
        found = json.loads(run(f"{sql} {SETTINGS}"))
    except Exception as error:
        return refused(400, "validation_error", str(error) if isinstance(error, QueryError) else f"{type(error).__name__}: {error}")
    finally:
        running[team] -= 1
    body = {
        "columns": [each["name"] for each in found["meta"]],
        "types": [[each["name"], each["type"]] for each in found["meta"]],
        "results": found["data"],
        "is_cached": False,
        "query": query["query"],
        "hasMore": None,
    }
    return 200, {}, json.dumps(body).encode()


def refused(status, code, detail, headers={}):
    body = {"type": "validation_error", "code": code, "detail": detail, "attr": None}
    return status, headers, json.dumps(body).encode()

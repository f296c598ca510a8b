"""Turns random requests into ones that are valid beyond what a JSON Schema can say."""

import json

import schemathesis

LISTS = ("filters", "group_by", "sort", "having")
COUNTS = {"event": "event_count", "session": "session_count", "user": "user_count", "screen": "screen_visits"}
ZONES = ("UTC", "Europe/Berlin", "Australia/Lord_Howe")


def repair(request, path):
    request.pop("cursor", None)  # made by the service only
    if isinstance(request.get("filters"), list):
        request["filters"] = filters_of(request["filters"])
    for step in [*(request.get("steps") or []), request.get("start") or {}, request.get("return") or {}]:
        if isinstance(step.get("filters"), list):
            step["filters"] = filters_of(step["filters"])
    if isinstance(request.get("group_by"), list):
        request["group_by"] = groups_of(request["group_by"])
    if "time_zone" in request:
        request["time_zone"] = ZONES[len(request["time_zone"]) % len(ZONES)]
    name_fields(request, path)
    return request


def name_fields(request, path):
    """The fields that order rows: the count of the default metrics, and the first group."""
    if "sort" in request or "having" in request:
        request.pop("aggregation", None)
    count = next((count for name, count in COUNTS.items() if f"/{name}" in path), None)
    groups = request.get("group_by") or []
    keys = ["_".join(filter(None, (each["attribute"], each.get("property_name")))) for each in groups[:1]]
    for name in ("sort", "having"):
        if isinstance(request.get(name), list):
            request[name] = [
                {**item, **({"metric": count} if "metric" in item else {"attribute": keys[0]})}
                for item in request[name]
                if "metric" in item or keys
            ]


def filters_of(filters):
    """At most one window of a month, the bounds of every range in order, and in groups no more than 48 filters together."""
    kept = []
    for item in filters[:12]:
        group = next((key for key in ("any", "did", "did_not") if key in item), None)
        if group:
            kept.append({group: filters_of(item[group][:2])})
            continue
        value = item["value"]
        if item["operator"] == "between_dates":
            if item["attribute"] == "date_range":
                if any(each.get("attribute") == "date_range" for each in kept):
                    continue
                value = {"lower": value["lower"], "upper": value["lower"]}
            lower, upper = sorted((value["lower"][:10], value["upper"][:10]))
            item = {**item, "value": {"lower": lower, "upper": upper}}
        kept.append(item)
    return kept


def groups_of(groups):
    """Each attribute once, also with different maximum numbers; several in sizes that do not exceed 10,000 rows."""
    groups = [item for item in groups if not item["attribute"].endswith("_minute")]
    kept = list({(item["attribute"], item.get("property_name")): item for item in groups}.values())
    if len(kept) < 2:
        return kept
    kept = [item for item in kept if not item["attribute"].endswith("_hour")]
    return [{name: value for name, value in item.items() if name != "max_group_number"} for item in kept]


def parsed(value):
    return json.loads(value) if isinstance(value, str) else value


def is_negative(case):
    return case.meta is not None and case.meta.generation.mode.is_negative


@schemathesis.hook
def map_case(context, case):
    if isinstance(case.body, dict) and "app_id" in case.body:
        case.body["app_id"] = "shop"
    if case.method == "GET":
        case.query = {**(case.query or {}), "appid": "shop"}
    if is_negative(case):
        return case
    if isinstance(case.body, dict):
        case.body = repair(case.body, case.path)
    elif case.query:
        query = {name: parsed(value) if name in LISTS else value for name, value in case.query.items()}
        case.query = {
            name: json.dumps(value) if name in LISTS else value for name, value in repair(query, case.path).items()
        }
    return case

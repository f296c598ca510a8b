"""HogQL as SQL of ClickHouse, as far as tests need it. The parser is PostHog's own (the package hogql-parser); what
posthog/hogql/printer does with its tree is written here again: permitted functions, properties, comparisons with NULL."""

import json
import sys
import types
from pathlib import Path

# The package imports the errors of PostHog.
errors = types.ModuleType("posthog.hogql.errors")
for name in ["BaseHogQLError", "ExposedHogQLError", "SyntaxError", "QueryError", "NotImplementedError", "ParsingError"]:
    setattr(errors, name, type(name, (Exception,), {}))
for name in ["posthog", "posthog.hogql"]:
    sys.modules.setdefault(name, types.ModuleType(name))
sys.modules["posthog.hogql.errors"] = errors
import hogql_parser  # noqa: E402

LINES = Path(__file__).with_name("hogql-functions.txt").read_text().splitlines()
PERMITTED = {name for line in LINES if not line.startswith("#") for name in line.split()}
ANY_CASE = {"coalesce", "ifnull", "nullif", "isnull", "count", "min", "max", "sum", "avg", "lower", "upper", "abs", "round"}
RENAMED = {
    "toInt": "accurateCastOrNull({}, 'Int64')",
    "toFloat": "accurateCastOrNull({}, 'Float64')",
    "_toInt64": "toInt64({})",
}
COLUMNS = ["uuid", "event", "properties", "timestamp", "distinct_id", "elements_chain", "created_at", "$session_id", "person_id"]
OPERATORS = {"+": "plus", "-": "minus", "*": "multiply", "/": "divide", "%": "modulo"}
COMPARISONS = {"==": "equals", "!=": "notEquals", "<": "less", "<=": "lessOrEquals", ">": "greater", ">=": "greaterOrEquals", "in": "in", "not in": "notIn"}
CASTS = {
    **dict.fromkeys(["int", "integer"], "toInt64"),
    **dict.fromkeys(["float", "double", "real"], "toFloat64"),
    **dict.fromkeys(["text", "varchar", "char", "string"], "toString"),
}


class QueryError(Exception):
    """What PostHog answers with the status 400."""


def clickhouse(hogql, team, *, nullable):
    """The SQL for the events of a team. PostHog infers which values may be NULL: here all or none."""
    tree = json.loads(hogql_parser.parse_select_json(hogql))
    if tree.get("error"):
        raise QueryError(tree["message"])
    sql = Printer(team, nullable).select(tree, {})
    limit = tree.get("limit")
    if limit is None:
        sql += " LIMIT 100"
    elif limit["value"] > 50_000:
        sql = sql.replace(f"LIMIT {limit['value']}", "LIMIT 50000")
    return sql


def name(text):
    return "`" + text.replace("`", "\\`") + "`"


class Printer:
    def __init__(self, team, nullable):
        self.team, self.nullable = team, nullable
        self.ctes, self.tables, self.joining = [], [], False

    def select(self, node, _=None):
        if node["node"] == "SelectSetQuery":
            rest = "".join(f" {each['set_operator']} {self.select(each['select_query'])}" for each in node["subsequent_select_queries"])
            return self.select(node["initial_select_query"]) + rest
        self.ctes.append({each["name"]: each["expr"] for each in node.get("ctes") or []})
        self.tables.append([])
        tables, where = [], [node.get("where")]
        join = node.get("select_from")
        while join:
            tables.append(self.table(join))
            join = join.get("next_join")
        text = "SELECT " + ("DISTINCT " if node.get("distinct") else "") + ", ".join(self.column(each) for each in node["select"])
        if tables:
            text += " FROM " + " ".join(tables)
        conditions = [self.expr(each) for each in where if each]
        if "events" in self.tables[-1]:
            conditions.append(f"equals(events.team_id, {self.team})")
        if conditions:
            text += " WHERE " + " AND ".join(f"({each})" for each in conditions)
        for key, words in [("group_by", "GROUP BY"), ("having", "HAVING"), ("order_by", "ORDER BY"), ("limit", "LIMIT"), ("offset", "OFFSET")]:
            if node.get(key):
                given = node[key] if isinstance(node[key], list) else [node[key]]
                text += f" {words} " + ", ".join(self.expr(each) for each in given)
        self.ctes.pop()
        self.tables.pop()
        return text

    def column(self, node):
        if node["node"] == "Field" and node["chain"] == ["*"] and "events" in self.tables[-1]:
            return ", ".join(name(each) for each in COLUMNS[:-1])
        return self.expr(node)

    def table(self, join):
        table, alias = join["table"], join.get("alias")
        if table["node"] == "Field":
            (known,) = table["chain"]
            cte = next((scope[known] for scope in reversed(self.ctes) if known in scope), None)
            if cte is None and known != "events":
                raise QueryError(f'Unknown table "{known}".')
            if cte is None:
                self.tables[-1].append("events")
                text = "posthog.events AS " + name(alias or "events")
            else:
                text = f"({self.select(cte)}) AS {name(alias or known)}"
        else:
            text = f"({self.select(table)})" + (f" AS {name(alias)}" if alias else "")
        if join.get("join_type"):
            text = f"{join['join_type']} {text}"
        if join.get("constraint"):
            self.joining = True
            text += " ON " + self.expr(join["constraint"]["expr"])
            self.joining = False
        return text

    def expr(self, node):
        return getattr(self, node["node"])(node)

    def all(self, nodes):
        return ", ".join(self.expr(each) for each in nodes)

    def SelectQuery(self, node):
        return f"({self.select(node)})"

    SelectSetQuery = SelectQuery

    def Alias(self, node):
        return f"{self.expr(node['expr'])} AS {name(node['alias'])}"

    def OrderExpr(self, node):
        return f"{self.expr(node['expr'])} {node['order']}"

    def Constant(self, node):
        value = node.get("value")
        if isinstance(value, str):
            return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
        return "NULL" if value is None else str(value).lower() if isinstance(value, bool) else repr(value)

    def Field(self, node):
        chain = node["chain"]
        if chain[-1] == "*":
            return ".".join([*map(name, chain[:-1]), "*"])
        if "events" in self.tables[-1]:
            own = chain[1:] if chain[0] == "events" else chain
            if own == ["person", "properties"]:
                return "events.person_properties"
            if own[0] == "properties" and len(own) == 2:
                raw = f"JSONExtractRaw(events.properties, {self.Constant({'value': own[1]})})"
                return f"replaceRegexpAll(nullIf(nullIf({raw}, ''), 'null'), '^\"|\"$', '')"
            if own[0] in COLUMNS and len(own) == 1:
                return f"events.{name(own[0])}"
        return ".".join(map(name, chain))

    def And(self, node):
        return f"and({self.all(node['exprs'])})"

    def Or(self, node):
        return f"or({self.all(node['exprs'])})"

    def Not(self, node):
        return f"not({self.expr(node['expr'])})"

    def ArithmeticOperation(self, node):
        return f"{OPERATORS[node['op']]}({self.expr(node['left'])}, {self.expr(node['right'])})"

    def CompareOperation(self, node):
        op = node["op"]
        left, right = self.expr(node["left"]), self.expr(node["right"])
        text = f"{COMPARISONS[op]}({left}, {right})"
        for side, other in [(node["right"], left), (node["left"], right)]:
            if side["node"] == "Constant" and side.get("value") is None and op in ["==", "!="]:
                return f"{'isNull' if op == '==' else 'isNotNull'}({other})"
        if op in ["in", "not in"] or self.joining or not self.nullable:
            return text
        isConstant = "Constant" in [node["left"]["node"], node["right"]["node"]]
        if op == "==":
            return f"ifNull({text}, {0 if isConstant else f'isNull({left}) and isNull({right})'})"
        if op == "!=":
            return f"ifNull({text}, {1 if isConstant else f'isNotNull({left}) or isNotNull({right})'})"
        return f"ifNull({text}, 0)"

    def called(self, func):
        if func in PERMITTED or func.lower() in PERMITTED & ANY_CASE:
            return func
        raise QueryError(f"Unsupported function call '{func}(...)'")

    def Call(self, node):
        func, args = self.called(node["name"]), node.get("args") or []
        if func == "count" and args and args[0].get("chain") == ["*"]:
            args = []
        if func.lower() == "concat":
            return "concat(" + ", ".join(f"ifNull(toString({self.expr(each)}), '')" for each in args) + ")"
        given = self.all(args)
        if func in RENAMED:
            return RENAMED[func].format(given)
        params = f"({self.all(node['params'])})" if node.get("params") else ""
        return f"{func}{params}({'DISTINCT ' if node.get('distinct') else ''}{given})"

    def WindowFunction(self, node):
        func, given = self.called(node["name"]), [self.expr(each) for each in node.get("exprs") or []]
        over = node.get("over_expr") or {}
        window = [f"PARTITION BY {self.all(over['partition_by'])}"] if over.get("partition_by") else []
        if over.get("order_by"):
            window.append(f"ORDER BY {self.all(over['order_by'])}")
        if func in ["lag", "lead"]:
            func, given[0] = f"{func}InFrame", f"toNullable({given[0]})"
            window.append("ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING")
        return f"{func}({', '.join(given)}) OVER ({' '.join(window)})"

    def TypeCast(self, node):
        kind = node["type_name"].lower()
        if kind not in CASTS:
            raise QueryError(f"Unsupported type cast to '{kind}'")
        return f"{CASTS[kind]}({self.expr(node['expr'])})"

    def Array(self, node):
        return f"[{self.all(node['exprs'])}]"

    def Tuple(self, node):
        return f"tuple({self.all(node['exprs'])})"

    def ArrayAccess(self, node):
        return f"{self.expr(node['array'])}[{self.expr(node['property'])}]"

    def TupleAccess(self, node):
        return f"{self.expr(node['tuple'])}.{node['index']}"

    def Lambda(self, node):
        return f"({', '.join(map(name, node['args']))}) -> {self.expr(node['expr'])}"

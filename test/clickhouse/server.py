"""The HTTP interface of ClickHouse on a free port of loopback, over a ClickHouse in this process, and the query API of
PostHog over it. Prints the port."""

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import chdb

password, *folder = sys.argv[1:]
# The setting `readonly` of the profile of each user.
PROFILES = {"team": 0, "reader": 2, "strict": 1}
connections = {name: chdb.connect(*(folder or [":memory:"])) for name in PROFILES}
for name, readonly in PROFILES.items():
    connections[name].query(f"SET readonly = {readonly}")
lock = threading.Lock()
# Parameters of the interface, which are no settings.
OF_HTTP = ["query_id", "database", "query", "wait_end_of_query", "default_format", "role"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body leave as one packet; two would wait for each other.
    wbufsize = -1

    def do_POST(self):
        body = self.body().decode()
        if self.path.startswith("/api/projects/"):
            # Needs another package.
            import posthog

            return self.answer(*posthog.answer(self.path, self.headers, body, compact))
        given = dict(parse_qsl(urlsplit(self.path).query))
        name, _, secret = base64.b64decode(self.headers.get("Authorization", "").removeprefix("Basic ")).decode().partition(":")
        if secret != password or name not in connections:
            says = b"Code: 516. DB::Exception: team: Authentication failed. (AUTHENTICATION_FAILED)"
            return self.answer(403, {"X-ClickHouse-Exception-Code": "516"}, says)
        settings = {key: value for key, value in given.items() if key not in OF_HTTP}
        sql, separator, form = body.rpartition("\nFORMAT ")
        if settings and separator:
            # The first one forbids to change another.
            keys = sorted(settings, key=lambda key: key == "readonly")
            body = f"{sql}\nSETTINGS " + ", ".join(f"{key} = {literal(settings[key])}" for key in keys)
        try:
            with lock:
                connections[name].query(f"USE `{given.get('database', 'default')}`")
                rows = connections[name].query(body, form.strip() if separator else "CSV").bytes()
            self.answer(200, {}, rows or b"")
        except Exception as error:
            code = str(error).partition("Code: ")[2].partition(".")[0]
            self.answer(404 if code == "60" else 500, {"X-ClickHouse-Exception-Code": code}, str(error).encode())

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        chunks = b""
        while size := int(self.rfile.readline(), 16):
            chunks += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return chunks

    def answer(self, status, headers, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def compact(sql):
    with lock:
        return connections["team"].query(sql, "JSONCompact").bytes()


def literal(value):
    try:
        return str(float(value)) if "." in value else str(int(value))
    except ValueError:
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()

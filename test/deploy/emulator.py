"""Runs MiniStack, an emulator of AWS, with four corrections."""

import subprocess
import tempfile

import duckdb
from ministack.app import main
from ministack.core import lambda_runtime

connect = duckdb.connect
kill_workers = lambda_runtime.kill_workers
start_process = subprocess.Popen


def connect_as_athena(*args, **kwargs):
    """DuckDB answers the queries of Athena."""
    connection = connect(*args, **kwargs)
    connection.execute("SET integer_division = true")
    connection.execute("CREATE MACRO arrays_overlap(a, b) AS list_has_any(a, b)")
    connection.execute("CREATE MACRO truncate(a) AS trunc(a)")
    return connection


def kill_idle_workers(workers):
    """On AWS, a running function finishes although it is updated."""
    kill_workers([worker for worker in workers if not worker.in_use])


def start_with_own_disk(*args, **kwargs):
    """On AWS, each process of a function has its own disk."""
    env = kwargs.get("env") or {}
    if "AWS_LAMBDA_FUNCTION_NAME" in env:
        kwargs["env"] = {**env, "TMPDIR": tempfile.mkdtemp()}
    return start_process(*args, **kwargs)


duckdb.connect = connect_as_athena
subprocess.Popen = start_with_own_disk
lambda_runtime.kill_workers = kill_idle_workers
main()

#!/usr/bin/env bash
# Runs the tests that need ClickHouse, which a package of Python has. Exits with 77 if it cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=4.4.0

venv=${TMPDIR:-/tmp}/deltawatch-chdb-$version
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c "import chdb" 2> /dev/null; then
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "chdb==$version"; } 2> /dev/null; then
    rm -rf "$venv"
    echo "skipped: Python cannot install chdb $version"
    exit 77
  fi
fi

CLICKHOUSE_PYTHON=$venv/bin/python npm exec --no -- vitest run --config test/clickhouse/vitest.config.ts "$@"

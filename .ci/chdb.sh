#!/usr/bin/env bash
# Prints the Python that has ClickHouse, as the package chdb. Exits with 77 if it cannot be had.
set -euo pipefail
version=4.4.0

venv=${TMPDIR:-/tmp}/deltawatch-chdb-$version
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -c "import chdb" 2> /dev/null; then
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "chdb==$version"; } > /dev/null 2>&1; then
    rm -rf "$venv"
    echo "skipped: Python cannot install chdb $version" >&2
    exit 77
  fi
fi
echo "$venv/bin/python"

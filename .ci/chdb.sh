#!/usr/bin/env bash
# Prints the Python that has ClickHouse, as the package chdb, and the parser of PostHog. Exits with 77 if it cannot be had.
set -euo pipefail
version=4.4.0
parser=1.3.88

venv=${TMPDIR:-/tmp}/deltawatch-chdb-$version
if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/pip" show --quiet chdb hogql-parser 2> /dev/null; then
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "chdb==$version" "hogql-parser==$parser"; } > /dev/null 2>&1; then
    rm -rf "$venv"
    echo "skipped: Python cannot install chdb $version and hogql-parser $parser" >&2
    exit 77
  fi
fi
echo "$venv/bin/python"

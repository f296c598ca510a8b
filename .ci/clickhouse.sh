#!/usr/bin/env bash
# Runs the tests that need ClickHouse, which a package of Python has. Exits with 77 if it cannot be had.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

CLICKHOUSE_PYTHON=$(.ci/chdb.sh)
export CLICKHOUSE_PYTHON
npm exec --no -- vitest run --config test/clickhouse/vitest.config.ts "$@"

#!/usr/bin/env bash
# Runs the tests that deploy to an emulator of AWS. Exits with 77, and prints the reason, if this machine cannot run it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm exec --no -- node test/deploy/prepare.ts
# Without it, no stage reads ClickHouse.
CLICKHOUSE_PYTHON=$(.ci/chdb.sh) && export CLICKHOUSE_PYTHON || true
npm exec --no -- vitest run --config test/deploy/vitest.config.ts "$@"

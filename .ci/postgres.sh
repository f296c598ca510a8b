#!/usr/bin/env bash
# Runs the tests that need a PostgreSQL server. Exits with 77, and prints the reason, if it is not installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm exec --no -- node test/postgres/prepare.ts
npm exec --no -- vitest run --config test/postgres/vitest.config.ts "$@"

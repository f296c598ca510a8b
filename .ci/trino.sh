#!/usr/bin/env bash
# Runs the tests that need Trino. Exits with 77, and prints the reason, if this machine cannot run it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm exec --no -- node test/trino/prepare.ts
npm exec --no -- vitest run --config test/trino/vitest.config.ts "$@"

#!/usr/bin/env bash
# The tests that need a real Trino. Exits with 77 where this machine cannot run one, and says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm exec --no -- node test/trino/prepare.ts
npm exec --no -- vitest run --config test/trino/vitest.config.ts "$@"

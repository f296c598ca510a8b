#!/usr/bin/env bash
# The tests that need a real browser. Exits with 77 where this machine has no Chromium and cannot install one, and says why.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm exec --no -- node test/browser/prepare.ts
npm exec --no -- vitest run --config test/browser/vitest.config.ts "$@"

#!/usr/bin/env bash
# Runs the tests that need a browser. Exits with 77, and prints the reason, if Chromium is missing and cannot be installed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm exec --no -- node test/browser/prepare.ts
npm exec --no -- vitest run --config test/browser/vitest.config.ts "$@"

#!/usr/bin/env bash
# Runs the contracts of the stores on DynamoDB Local. Exits with 77, and prints the reason, if this machine cannot run it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

npm exec --no -- node test/dynamodb-local/prepare.ts
npm exec --no -- vitest run --config test/dynamodb-local/vitest.config.ts "$@"

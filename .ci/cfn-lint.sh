#!/usr/bin/env bash
# Lints the templates of the stages here, and of stages with every option, as configured in .cfnlintrc.yaml. Exits with 77
# if cfn-lint is not installed: it is a Python program, so "npm ci" does not install it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v cfn-lint > /dev/null; then
  echo "skipped: cfn-lint is not installed; CONTRIBUTING.md says how to install it"
  exit 77
fi
npm run check:synth
npm exec --no -- node test/infra/every-option.ts
cfn-lint

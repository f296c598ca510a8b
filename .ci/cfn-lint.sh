#!/usr/bin/env bash
# Lints the templates that would be deployed, by .cfnlintrc.yaml. Exits with 77 where this machine has no cfn-lint, which
# is a Python program and no part of "npm ci".
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if ! command -v cfn-lint > /dev/null; then
  echo "skipped: there is no cfn-lint on this machine; CONTRIBUTING.md has how to install it"
  exit 77
fi
npm exec --no -- cdk synth --quiet
cfn-lint

#!/usr/bin/env bash
# Asks the data access service many random questions by its OpenAPI document, and checks the answers against it. Exits
# with 77 if Python or the package cannot be had. An argument sets another seed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
PATH=$PWD/node_modules/.bin:$PATH
version=4.32.5

venv=${TMPDIR:-/tmp}/deltawatch-schemathesis-$version
if [ ! -x "$venv/bin/st" ]; then
  if ! { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet "schemathesis==$version"; } 2> /dev/null; then
    rm -rf "$venv"
    echo "skipped: Python 3.10 or later cannot install schemathesis $version"
    exit 77
  fi
fi

folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
node cli/bin.js data generate --data "$folder" --app shop --days 14 > /dev/null 2>&1
node -e 'const [path] = process.argv.slice(1), fs = require("node:fs");
  const settings = { ...JSON.parse(fs.readFileSync(path)), rateLimit: { enforce: false } };
  fs.writeFileSync(path, JSON.stringify(settings))' "$folder/shop.json"
key=$(node cli/bin.js keys create --data "$folder" --app shop 2> /dev/null | grep -o 'dwk_[A-Za-z0-9_-]*')

node cli/bin.js serve --data "$folder" --port 0 > /dev/null 2> "$folder/log" &
server=$!
for _ in $(seq 300); do
  if grep -q "service is at" "$folder/log"; then break; fi
  kill -0 "$server" || { cat "$folder/log"; exit 1; }
  sleep 0.2
done
url=$(grep -o 'http://127.0.0.1:[0-9]*' "$folder/log")

# In the temporary folder, because it writes a cache. Without the check that sends many invalid keys, which the service
# limits by address.
ci=$PWD/.ci
cd "$folder"
SCHEMATHESIS_HOOKS=$ci/schemathesis_hooks.py "$venv/bin/st" --config-file "$ci/schemathesis.toml" \
  run "$url/openapi.json" --header "X-Api-Key: $key" --header "X-App-Id: shop" \
  --phases examples,fuzzing --exclude-checks ignored_auth --max-time 60 --request-timeout 30 --seed "${1:-1}" \
  --continue-on-failure --generation-database none

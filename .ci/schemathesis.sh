#!/usr/bin/env bash
# Asks the data access service and the interface of alerts many random questions by their OpenAPI documents, and checks
# the answers against these. Exits with 77 if Python or the package cannot be had. Arguments: the seconds for each, another
# seed, and one of data-access and alerts.
set -euo pipefail
seconds=${1:-60}
seed=${2:-1}
which=${3:-data-access alerts}
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
ci=$PWD/.ci

# Starts a server, and waits until its output has a line like the first argument.
start() {
  local line=$1
  shift
  "$@" > "$folder/log" 2>&1 &
  server=$!
  for _ in $(seq 300); do
    if grep -q "$line" "$folder/log"; then break; fi
    kill -0 "$server" || { cat "$folder/log"; exit 1; }
    sleep 0.2
  done
  url=$(grep -o 'http://127.0.0.1:[0-9]*' "$folder/log")
}

# In the temporary folder, because it writes a cache.
fuzz() {
  local name=$1 code=0
  shift
  (cd "$folder" && SCHEMATHESIS_HOOKS=$ci/schemathesis/$name.py "$venv/bin/st" \
    --config-file "$ci/schemathesis/$name.toml" run "$@" --max-time "$seconds" --request-timeout 30 --seed "$seed" \
    --continue-on-failure --generation-database none) || code=1
  kill "$server"
  server=
  return $code
}

# Without the check that sends many invalid keys, which the service limits by address.
data_access() {
  node cli/bin.js data generate --data "$folder" --app shop --days 14 > /dev/null 2>&1
  node -e 'const [path] = process.argv.slice(1), fs = require("node:fs");
    const settings = { ...JSON.parse(fs.readFileSync(path)), rateLimit: { enforce: false } };
    fs.writeFileSync(path, JSON.stringify(settings))' "$folder/shop.json"
  local key
  key=$(node cli/bin.js keys create --data "$folder" --app shop 2> /dev/null | grep -o 'dwk_[A-Za-z0-9_-]*')
  start "service is at" node cli/bin.js serve --data "$folder" --port 0
  fuzz data-access "$url/openapi.json" --header "X-Api-Key: $key" --header "X-App-Id: shop" \
    --phases examples,fuzzing --exclude-checks ignored_auth
}

alerts() {
  start "http" node test/functions/respond/api/fuzzed.ts
  TOKEN=$(grep -o 'dwk_[A-Za-z0-9_-]*' "$folder/log")
  export TOKEN
  fuzz alerts "$url/api/v1/openapi.json" --header "Authorization: Bearer $TOKEN"
}

failed=0
case $which in *data-access*) data_access || failed=1 ;; esac
case $which in *alerts*) alerts || failed=1 ;; esac
exit $failed

#!/bin/sh
# Installs the packed Deltawatch TARBALL into FOLDER, with the optional packages of "deltawatch start". The image uses it.
set -eu
tarball=$(realpath "$1")
mkdir -p "$2"
cd "$2"
[ -f package.json ] || echo '{ "private": true }' >package.json
# All optional packages but those that deploy to AWS, in the versions that this package names.
optional=$(tar -xOzf "$tarball" package/package.json | node -e "
  const { peerDependencies } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
  const needed = Object.entries(peerDependencies).filter(([name]) => !/^(aws-cdk|constructs)/.test(name));
  console.log(needed.map(([name, range]) => name + '@' + range.replace('^', '')).join(' '));
")
# shellcheck disable=SC2086 # One word for each package.
npm install --omit=dev --no-audit --no-fund "$tarball" $optional

#!/usr/bin/env bash
# Builds the page: checks the types, bundles src/ into dist/, which is committed so that cargo needs no Node.
#   ./build.sh            builds
#   ./build.sh --check    says whether dist/ is what src/ gives
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

[ -d node_modules ] || npm ci --no-audit --no-fund
npx tsc -p .

out=dist
if [ "${1:-}" = --check ]; then
    out=$(mktemp -d)
    trap 'rm -r "$out"' EXIT
fi
mkdir -p "$out"
bundle=(npx esbuild --bundle --minify --charset=utf8 --log-level=warning --target=es2022)
"${bundle[@]}" src/main.ts --format=iife --outfile="$out/app.js"
"${bundle[@]}" src/report.ts --format=iife --outfile="$out/report.js"
"${bundle[@]}" src/app.css --outfile="$out/app.css"
cp src/index.html src/icon.svg "$out/"
sha256sum src/* package-lock.json tsconfig.json > "$out/SOURCES.sha256"

if [ "$out" != dist ]; then
    diff -r "$out" dist >/dev/null || { echo "error: dist/ is not what src/ gives; run web/ui/build.sh" >&2; exit 1; }
    echo "dist/ is what src/ gives"
else
    wc -c dist/*
fi

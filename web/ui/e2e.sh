#!/usr/bin/env bash
# End-to-end tests of `tenjiku serve` and `tenjiku report` in headless Chromium, about a minute. Installs what is missing
# (Debian's chromium, if root; the packages of package-lock.json), makes a small run, and clicks through the pages.
#   TENJIKU=path/to/tenjiku   the program; built if not given
#   SHOTS=folder              keep screenshots there
#   ONLY=pattern              run the tests whose names fit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fail() { echo "error: end-to-end tests: $1" >&2; exit 1; }
command -v npm >/dev/null || fail "npm is missing; install Node 20 or newer"
export CHROMIUM=${CHROMIUM:-/usr/bin/chromium}
if [ ! -x "$CHROMIUM" ]; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null ||
        fail "chromium is missing; install it (Debian: apt-get install chromium), or set CHROMIUM to its path"
    export DEBIAN_FRONTEND=noninteractive
    { apt-get update -qq -o Acquire::Retries=3 && apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk; } \
        </dev/null >/dev/null || fail "apt-get could not install chromium"
fi
if [ node_modules/.package-lock.json -ot package-lock.json ]; then
    npm ci --no-audit --no-fund --silent </dev/null || fail "npm ci could not fetch what package-lock.json names"
fi

if [ -z "${TENJIKU:-}" ]; then
    cargo build --release --locked -p cli
    TENJIKU="${CARGO_TARGET_DIR:-../../target}/release/tenjiku"
fi
TENJIKU=$(readlink -f "$TENJIKU")
# As `cargo run` sets it.
export ORT_DYLIB_PATH=${ORT_DYLIB_PATH:-$(readlink -f ../..)/onnxruntime/lib/libonnxruntime.so}

scratch=$(mktemp -d)
pids=()
cleanup() {
    for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$scratch"
}
trap cleanup EXIT

# A run that goes on while it is looked at.
(cd ../.. && exec "$TENJIKU" loop --config configs/quickstart.toml --run "$scratch/run" \
    --set generations=10000 --set selfplay.games=8 --set selfplay.games_in_flight=4 --set selfplay.max_plies=60 --set selfplay.opening_plies=3 \
    --set search.visits=16 --set selfplay.fast_visits=4 --set network.blocks=1 --set network.channels=8 \
    --set train.batch_size=32 --set train.samples_per_position=1 --set evaluation.games=2 --set evaluation.visits=8 \
    --set evaluation.max_plies=60) >"$scratch/loop.log" 2>&1 &
pids+=($!)
# Its first games and its first exported network; a busy machine takes a while.
ready() { [ -n "$(ls "$scratch/run/games" 2>/dev/null)" ] && [ -n "$(ls "$scratch/run/export" 2>/dev/null)" ]; }
for _ in $(seq 600); do
    ready || ! kill -0 "${pids[0]}" 2>/dev/null && break
    sleep 0.2
done
ready || { cat "$scratch/loop.log" >&2; fail "the run made no game and network within two minutes"; }

"$TENJIKU" serve --run "$scratch/run" --port 0 >"$scratch/address" 2>"$scratch/serve.log" &
pids+=($!)
for _ in $(seq 300); do
    [ -s "$scratch/address" ] && break
    sleep 0.1
done
[ -s "$scratch/address" ] || { cat "$scratch/serve.log" >&2; fail "the server did not start"; }
ADDRESS=$(cat "$scratch/address") TENJIKU="$TENJIKU" RUN="$scratch/run" SCRATCH="$scratch" SERVER=${pids[1]} node e2e/main.mjs

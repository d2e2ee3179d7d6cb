#!/usr/bin/env bash
# End-to-end tests of `tenjiku serve` and `tenjiku report` in headless Chromium. Installs what is missing (Debian's
# chromium, the packages of package-lock.json), makes a small run, and clicks through the pages.
#   TENJIKU=path/to/tenjiku   the program; built if not given
#   SHOTS=folder              keep screenshots there
#   ONLY=pattern              run the tests whose names fit
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v chromium >/dev/null; then
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk >/dev/null
fi
[ -d node_modules ] || npm ci --no-audit --no-fund --silent

if [ -z "${TENJIKU:-}" ]; then
    cargo build --release --locked -p cli
    TENJIKU="${CARGO_TARGET_DIR:-../../target}/release/tenjiku"
fi
TENJIKU=$(readlink -f "$TENJIKU")

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
    --set generations=10000 --set selfplay.games=8 --set selfplay.games_in_flight=4 --set selfplay.max_plies=60 \
    --set search.visits=16 --set selfplay.fast_visits=4 --set network.blocks=1 --set network.channels=8 \
    --set train.batch_size=32 --set train.samples_per_position=1 --set evaluation.games=2 --set evaluation.visits=8 \
    --set evaluation.max_plies=60) >"$scratch/loop.log" 2>&1 &
pids+=($!)
for _ in $(seq 150); do
    [ -n "$(ls "$scratch/run/games" 2>/dev/null)" ] && [ -n "$(ls "$scratch/run/export" 2>/dev/null)" ] && break
    sleep 0.2
done
[ -d "$scratch/run/games" ] || { cat "$scratch/loop.log" >&2; exit 1; }

"$TENJIKU" serve --run "$scratch/run" --port 0 >"$scratch/address" 2>"$scratch/serve.log" &
pids+=($!)
for _ in $(seq 50); do
    [ -s "$scratch/address" ] && break
    sleep 0.1
done
ADDRESS=$(cat "$scratch/address") TENJIKU="$TENJIKU" RUN="$scratch/run" SCRATCH="$scratch" SERVER=${pids[1]} node e2e/main.mjs

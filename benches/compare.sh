#!/usr/bin/env bash
# Compares hullmark with programs that do only what cannot be left out, and prints a table: docs/performance.md.
#
# Usage: compare.sh [FOLDER [ROUNDS [WORD]]]
#
# FOLDER keeps what is made once (5 GB), ROUNDS is 5, and WORD chooses the rows that have it. Wants real exports in
# ../shared/data.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v igzip >/dev/null; then
  apt-get update && apt-get install --yes --no-install-recommends isal
fi
if ! python3 -c "import numpy, PIL" 2>/dev/null; then
  python3 -m pip install --quiet numpy pillow
fi

target="${CARGO_TARGET_DIR:-$PWD/target}"
cargo build --release --locked
cargo build --release --locked --package hullmark-reference

python3 benches/compare.py "$target/release/hullmark" "$target/release" ../shared/data \
  "${1:-${TMPDIR:-/tmp}/hullmark-compare}" "${@:2}"

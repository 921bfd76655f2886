#!/usr/bin/env bash
# Compares reports of the release build with those of a build for processors with AVX2 and fused multiply-add.
#
# Usage: tests/scripts/digits.sh HULLMARK
#
# All digits must be equal: a ledger of one machine is read on others. The second build takes four minutes on two cores.
# Reads sample_data, and the real exports in ../shared/data if there are any.
set -euo pipefail
cd "$(dirname "$0")/../.."
plain=$(realpath "$1")

if [ "$(uname -m)" != x86_64 ] || ! grep -qw fma /proc/cpuinfo || ! grep -qw avx2 /proc/cpuinfo; then
  echo "This processor is not x86-64-v3, so digits were not compared." >&2
  exit
fi

target="${CARGO_TARGET_DIR:-$PWD/target}/x86-64-v3"
RUSTFLAGS="-C target-cpu=x86-64-v3" CARGO_PROFILE_RELEASE_LTO=off \
  cargo build --release --locked --quiet --target-dir "$target"
wide="$target/release/hullmark"
# Only the second build adds single numbers with an instruction of AVX.
[ "$(objdump -d "$wide" | grep -c vaddss)" -gt 100 ] || { echo "$wide is not for x86-64-v3" >&2; exit 1; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
inputs=(sample_data)
[ -d ../shared/data ] && inputs+=(../shared/data)
# No cache of an earlier run: each build decodes everything. Exit code 1 means findings.
for threads in 1 2; do
  for build in plain wide; do
    "${!build}" audit "${inputs[@]}" --out "$out/$build" --ledgers "$out/$build-ledgers" --format csv --format jsonl \
      --threads "$threads" --quiet || [ $? = 1 ]
  done
  # The stamp has the program and the time of the files.
  diff -rq --exclude .hullmark-stamp "$out/plain" "$out/wide"
  rm -r "$out"/*
done
echo "The reports of both builds are equal."

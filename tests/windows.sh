#!/usr/bin/env bash
# Tests the program for Windows under Wine: builds it with mingw-w64, packs it, and compares the reports of the packed
# program with those of Linux.
#
#   windows.sh [HULLMARK]        target/release/hullmark, a program for Linux with the same features
set -euo pipefail
cd "$(dirname "$0")/.."

target=x86_64-pc-windows-gnu
wine=$(compgen -G "/usr/lib/wine/wine64" || command -v wine64 || true)
if { [ -z "$wine" ] || ! command -v x86_64-w64-mingw32-gcc >/dev/null; } && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  apt-get update && apt-get install --yes --no-install-recommends gcc-mingw-w64-x86-64 wine64
  wine=$(compgen -G "/usr/lib/wine/wine64" || command -v wine64)
fi
if [ -z "$wine" ] || ! command -v x86_64-w64-mingw32-gcc >/dev/null; then
  echo "There is no Wine or no mingw-w64, so the program for Windows was not tested." >&2
  exit 1
fi
rustup target add "$target"
# The tests take seconds with an unoptimised program, whose build takes a quarter of the time.
CARGO_PROFILE_DEV_OPT_LEVEL=0 cargo build --locked --target "$target"

hullmark=$(realpath "${1:-target/release/hullmark}")
HULLMARK_DIST=$(mktemp -d /tmp/hullmark-zip.XXXXXX)
export HULLMARK_DIST
trap 'rm -rf "$HULLMARK_DIST"' EXIT
x86_64-w64-mingw32-strip -o "$HULLMARK_DIST/hullmark.exe" "${CARGO_TARGET_DIR:-target}/$target/debug/hullmark.exe"
HULLMARK_RUNNABLE=$hullmark python3 deploy/release/release.py pack "$target" "$HULLMARK_DIST/hullmark.exe"
python3 tests/scripts/windows.py "$wine" "$HULLMARK_DIST"/hullmark-*.zip "$hullmark"

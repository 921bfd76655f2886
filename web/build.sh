#!/usr/bin/env bash
# Builds the page into web/dist, from where any web server can serve it. Prints the size of each file.
#
# Cargo and Python are needed. wasm-bindgen is installed into the folder HULLMARK_TOOLS, which is target/tools without it.
set -euo pipefail
cd "$(dirname "$0")"

version=$(sed -n '/^name = "wasm-bindgen"$/{n;s/version = "\(.*\)"/\1/p}' ../Cargo.lock)
tools=${HULLMARK_TOOLS:-../target/tools}
if [ "$("$tools/bin/wasm-bindgen" --version 2>/dev/null)" != "wasm-bindgen $version" ]; then
  # A mirror may lack a package of the lock file, so the second try lets Cargo choose.
  install=(cargo install wasm-bindgen-cli --version "$version" --root "$tools" --quiet)
  "${install[@]}" --locked || "${install[@]}"
fi
if command -v rustup >/dev/null; then
  rustup target add wasm32-unknown-unknown
fi

cargo build --profile web --locked --package hullmark-web --target wasm32-unknown-unknown
"$tools/bin/wasm-bindgen" --target no-modules --no-typescript --remove-name-section --remove-producers-section --out-dir target/bindings \
  "${CARGO_TARGET_DIR:-../target}/wasm32-unknown-unknown/web/hullmark_web.wasm"
python3 pack.py

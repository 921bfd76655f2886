#!/usr/bin/env bash
# Checks the links of docs/ and builds it as a book into target/book. mdBook is a pinned release, fetched into
# target/mdbook; MDBOOK may name another one. Without network only the links are checked.
set -euo pipefail
cd "$(dirname "$0")/../.."

python3 tests/scripts/links.py docs

version=0.5.2
sha256=8e9d802bbecea34380aabfc65bec4fdba23c07453ef2c7e06fa34c282082e2c4
folder=target/mdbook/$version
if [ -z "${MDBOOK:-}" ]; then
  MDBOOK=$folder/mdbook
  if [ ! -x "$MDBOOK" ]; then
    name=mdbook-v$version-x86_64-unknown-linux-musl.tar.gz
    mkdir -p "$folder"
    if ! curl --fail --silent --show-error --location --output "$folder/$name" \
      "https://github.com/rust-lang/mdBook/releases/download/v$version/$name"; then
      echo "mdBook cannot be fetched, so the book was not built." >&2
      exit 0
    fi
    echo "$sha256  $folder/$name" | sha256sum --check --quiet
    tar -xzf "$folder/$name" -C "$folder"
  fi
fi
"$MDBOOK" build docs

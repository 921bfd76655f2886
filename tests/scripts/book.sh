#!/usr/bin/env bash
# Checks the links of docs/ and builds it as a book into target/book. mdBook is installed into HULLMARK_TOOLS,
# which is target/tools without it.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=0.5.4
tools=${HULLMARK_TOOLS:-target/tools}
mdbook=$tools/bin/mdbook

python3 tests/scripts/links.py docs
if ! "$mdbook" --version 2>/dev/null | grep --quiet "$version"; then
  cargo install mdbook --version "$version" --no-default-features --features search --locked --debug --quiet \
    --root "$tools"
fi
"$mdbook" build docs

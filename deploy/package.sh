#!/usr/bin/env bash
# Packs a release: the program, its manual pages and shell completions, and the documents for new users.
#
# Usage: deploy/package.sh [FOLDER]      writes hullmark-VERSION-TARGET.tar.gz into FOLDER (target/package)
set -euo pipefail
cd "$(dirname "$0")/.."

folder="${1:-target/package}"
cargo build --release --locked
program="${CARGO_TARGET_DIR:-target}/release/hullmark"
name="hullmark-$("$program" --version | cut -d ' ' -f 2)-$(rustc -vV | sed -n 's/^host: //p')"

rm -rf "${folder:?}/$name"
mkdir -p "$folder/$name/completions"
cp "$program" README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$folder/$name/"
"$program" man "$folder/$name/man"
for shell in bash elvish fish powershell zsh; do
  "$program" completions "$shell" > "$folder/$name/completions/hullmark.$shell"
done
tar --create --gzip --file "$folder/$name.tar.gz" --directory "$folder" --sort=name --owner=0 --group=0 "$name"
echo "$folder/$name.tar.gz"

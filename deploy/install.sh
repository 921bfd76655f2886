#!/bin/sh
# Installs a released hullmark for Linux or macOS:
#
#   sh install.sh [FOLDER]        the program into FOLDER/bin, manual pages and completions into FOLDER/share (~/.local)
#
# The download is checked against the checksums of the release. HULLMARK_VERSION names another version, and
# HULLMARK_REPOSITORY another repository. Where curl is absent, wget is used.
set -eu

repository=${HULLMARK_REPOSITORY:-@REPOSITORY@}
version=${HULLMARK_VERSION:-@VERSION@}
folder=${1:-$HOME/.local}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}
case $repository in
  *://*) ;;
  *) fail "The address of the repository is unknown. Set HULLMARK_REPOSITORY, or take install.sh from a release." ;;
esac

case $(uname -s)-$(uname -m) in
  Linux-x86_64) target=x86_64-unknown-linux-musl ;;
  Linux-aarch64 | Linux-arm64) target=aarch64-unknown-linux-musl ;;
  Darwin-x86_64) target=x86_64-apple-darwin ;;
  Darwin-arm64) target=aarch64-apple-darwin ;;
  *) fail "There is no program for $(uname -s) on $(uname -m). Build it with cargo." ;;
esac

fetch() { # address file
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$1" || fail "$1 cannot be downloaded."
  elif command -v wget >/dev/null; then
    wget --quiet --output-document "$2" "$1" || fail "$1 cannot be downloaded."
  else
    fail "Install curl or wget first."
  fi
}
sum() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

name=hullmark-$version-$target
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
fetch "$repository/releases/download/v$version/SHA256SUMS" "$desk/SHA256SUMS"
fetch "$repository/releases/download/v$version/$name.tar.gz" "$desk/$name.tar.gz"
wanted=$(grep " $name.tar.gz\$" "$desk/SHA256SUMS" | cut -d ' ' -f 1)
[ -n "$wanted" ] || fail "The release has no checksum of $name.tar.gz. Nothing was installed."
[ "$(sum "$desk/$name.tar.gz")" = "$wanted" ] || fail "$name.tar.gz has another checksum than its release says. Nothing was installed."

tar -xzf "$desk/$name.tar.gz" -C "$desk"
from=$desk/$name
put() { # file folder name
  mkdir -p "$folder/$2"
  # Renamed into place: a running program cannot be overwritten.
  cp "$1" "$folder/$2/.$3.new" && mv -f "$folder/$2/.$3.new" "$folder/$2/$3"
}
chmod 755 "$from/hullmark"
put "$from/hullmark" bin hullmark
for page in "$from"/man/*.1; do put "$page" share/man/man1 "$(basename "$page")"; done
put "$from/completions/hullmark.bash" share/bash-completion/completions hullmark
put "$from/completions/hullmark.fish" share/fish/vendor_completions.d hullmark.fish
put "$from/completions/hullmark.zsh" share/zsh/site-functions _hullmark
mkdir -p "$folder/share/hullmark"
rm -rf "$folder/share/hullmark/sample_data"
cp -R "$from/sample_data" "$folder/share/hullmark/sample_data"

"$folder/bin/hullmark" --version
echo "Installed in $folder/bin. Try: hullmark audit $folder/share/hullmark/sample_data --out audit-report"
case :$PATH: in
  *:"$folder/bin":*) ;;
  *) echo "Add $folder/bin to PATH first." ;;
esac

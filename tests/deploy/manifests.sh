#!/usr/bin/env bash
# Makes the manifests of a release from empty archives, and checks them. tests/packages.sh does so with real ones.
set -euo pipefail
cd "$(dirname "$(realpath "$0")")/../.."

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
desk=$(mktemp -d)
trap 'rm -rf "$desk"' EXIT
dist=$desk/dist
mkdir "$dist"
for target in {x86_64,aarch64}-{unknown-linux-musl,apple-darwin}; do
  echo "$target" >"$dist/hullmark-$version-$target.tar.gz"
done
for ending in zip msi; do
  echo "$ending" >"$dist/hullmark-$version-x86_64-pc-windows-gnu.$ending"
done
echo sha256:0000 >"$dist/image-digest.txt"

export HULLMARK_DIST=$dist HULLMARK_REPOSITORY=https://example.org/owner/hullmark
for step in manifests checksums; do
  python3 deploy/release/release.py "$step" 2>"$desk/said" || {
    cat "$desk/said" >&2
    exit 1
  }
done
python3 tests/scripts/release.py manifests "$dist"
echo "manifests: a release can make them."

#!/usr/bin/env bash
# Tests object stores against a real S3 server on loopback: s3s-fs, which checks signatures. HULLMARK_S3S_FS may name an
# installed program. Otherwise the script installs it into target/s3s.
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${HULLMARK_S3S_FS:-}" ]; then
  HULLMARK_S3S_FS="$PWD/target/s3s/bin/s3s-fs"
  if [ ! -x "$HULLMARK_S3S_FS" ]; then
    cargo install s3s-fs --version 0.14.1 --features binary --locked --debug --quiet --root target/s3s
  fi
fi
export HULLMARK_S3S_FS
cargo clippy --all-targets --locked --features object-store -- -D warnings
cargo test --locked --features object-store --test all object_stores

#!/usr/bin/env bash
# Tests object stores against a real S3 server on loopback: s3s-fs, which checks signatures. HULLMARK_S3S_FS may name an
# installed program. Otherwise the script installs it into HULLMARK_TOOLS,
# which is target/tools without it.
#
# Usage: s3.sh [FEATURES]
set -euo pipefail
cd "$(dirname "$0")/../.."

if [ -z "${HULLMARK_S3S_FS:-}" ]; then
  HULLMARK_S3S_FS="${HULLMARK_TOOLS:-$PWD/target/tools}/bin/s3s-fs"
  if [ ! -x "$HULLMARK_S3S_FS" ]; then
    cargo install s3s-fs --version 0.14.1 --features binary --locked --debug --quiet --root "${HULLMARK_TOOLS:-target/tools}"
  fi
fi
export HULLMARK_S3S_FS
# With --test, the rooms would have other features than in the other tests, and be built twice.
cargo test --locked --features "${1:-object-store}" --tests object_stores

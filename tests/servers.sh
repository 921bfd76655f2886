#!/usr/bin/env bash
# Tests databases on servers: MariaDB and PostgreSQL of Debian, unprivileged and on sockets. tests/scripts/servers.py
# starts them and always ends them. Without arguments the program is target/release/hullmark, built with the feature
# `database`, and the data are in ../shared/data. Further arguments select tests.
set -euo pipefail
cd "$(dirname "$0")/.."

has_servers() {
  [ -x "$(command -v mariadbd || echo /usr/sbin/mariadbd)" ] && { compgen -G "/usr/lib/postgresql/*/bin/initdb" || command -v initdb; } >/dev/null
}

if ! has_servers && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  # Their packages would start servers of their own.
  policy=/usr/sbin/policy-rc.d
  [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy" && trap 'rm -f "$policy"' EXIT; }
  apt-get update && apt-get install --yes --no-install-recommends mariadb-server postgresql
fi
if ! has_servers; then
  echo "There are no MariaDB and PostgreSQL, so databases on servers were not tested." >&2
  exit
fi
python3 tests/scripts/servers.py "${1:-target/release/hullmark}" "${2:-../shared/data}" "${@:3}"

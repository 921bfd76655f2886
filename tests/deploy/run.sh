#!/usr/bin/env bash
# Checks all parts of deploy/ that can be checked here, and names the others.
#
#   run.sh [HULLMARK [EXPORTS]]        target/release/hullmark, ../shared/data
#
# kubernetes.py and batch.py take half a minute and need packages from pip (kubernetes-validate hera botocore awscli
# moto[server,batch,stepfunctions]). grafana.py and compose.py need jsonschema and PyYAML from pip, and do more where there
# are prometheus and docker-compose. parallel.sh and slurm.sh take minutes, need root, and install their packages with
# apt-get. QUICK=1 leaves these two out.
set -euo pipefail
tests=$(dirname "$(realpath "$0")")
deploy=$tests/../../deploy
hullmark=${1:-$tests/../../target/release/hullmark}

if command -v shellcheck >/dev/null; then
  # Scripts are recognised by their first line.
  grep -rlE '^#!/(bin/sh|usr/bin/env bash)' "$deploy" "$tests" | (cd "$tests" && xargs shellcheck -x)
  echo "shellcheck: all scripts pass."
else
  echo "SKIPPED, shellcheck: it is not installed."
fi

if command -v systemd-analyze >/dev/null; then
  # The program must exist at the path in the unit, so the verified copy has the path of this program.
  units=$(mktemp -d)
  sed "s|/usr/local/bin/hullmark|$(realpath "$hullmark")|" "$deploy/systemd/hullmark.service" >"$units/hullmark.service"
  cp "$deploy/systemd/hullmark.timer" "$units"
  systemd-analyze verify --man=no "$units"/hullmark.*
  rm -r "$units"
  echo "systemd: both units pass systemd-analyze verify."
else
  echo "SKIPPED, systemd: there is no systemd-analyze."
fi

"$tests/manifests.sh"
python3 "$tests/kubernetes.py" "$hullmark"
python3 "$tests/batch.py" "$hullmark"
python3 "$tests/compose.py" "$hullmark"
python3 "$tests/grafana.py" "$hullmark"
if [ -z "${QUICK:-}" ]; then
  "$tests/parallel.sh" "$hullmark" "${@:2}"
  "$tests/slurm.sh" "$hullmark" "${@:2}"
fi

#!/usr/bin/env bash
# One audit on several hosts by GNU parallel over ssh.
#
#   audit.sh HOSTS SHARES FOLDER PATH… [--assets PATH]…
#
# HOSTS is a file with one ssh host on each line (`2/host` for two shares at a time, `:` for this host). All hosts must
# have hullmark, and see FOLDER and the exports under the same paths. The script writes plan.json, ledgers/, report/ and
# jobs.log into FOLDER. HULLMARK is the program on each host. SSH_OPTIONS goes to ssh, REPORT_OPTIONS to the report
# (--fail-on error). If this script is ended, start it again: shares with ledgers have nothing to do.
set -euo pipefail

if [ $# -lt 4 ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
hosts=$1 shares=$2 folder=$(realpath -m "$3")
shift 3
: "${HULLMARK:=hullmark}"
mkdir -p "$folder/ledgers"
plan=$folder/plan.json

"$HULLMARK" plan "$@" -o "$plan"

# Exit code 3 is a success: an input cannot be read to its end, its ledger says so, and another attempt would not help.
# A share that fails or loses its host goes to another host, up to three times. A host that is silent for 15 seconds is
# gone. --filter-hosts leaves out hosts that cannot be reached at the start.
scan="cd $(printf %q "$PWD") && $(printf '%q ' "$HULLMARK" scan --plan "$plan" --ledgers "$folder/ledgers" -q)"
failed=0
seq "$shares" | parallel --sshloginfile "$hosts" --filter-hosts --retries 3 --joblog "$folder/jobs.log" \
  --ssh "ssh ${SSH_OPTIONS:-} -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3" \
  "$scan --shard {}/$shares; code=\$?; [ \$code = 3 ] || exit \$code" || failed=$?
if [ "$failed" != 0 ]; then echo "$failed shares failed three times; see $folder/jobs.log." >&2; fi

# Stores are searched when the missing assets of all inputs are known.
case " $* " in *" --assets"*) "$HULLMARK" scan --plan "$plan" --ledgers "$folder/ledgers" --stores || true ;; esac
# With a complete plan --partial changes nothing. With an incomplete one the report names the missing inputs, and the
# exit code is 3.
# shellcheck disable=SC2086 # These are options, several of them.
exec "$HULLMARK" report "$folder/ledgers" --plan "$plan" --partial --out "$folder/report" ${REPORT_OPTIONS:-}

#!/usr/bin/env bash
# One audit on several hosts by GNU parallel over ssh.
#
#   audit.sh HOSTS SHARES FOLDER PATH… [--assets PATH]…
#
# HOSTS is a file with a host on each line, as ssh knows them (`2/host` for two shares at a time, `:` for this one). All of
# them see FOLDER and the exports under the same paths, and have hullmark. FOLDER gets plan.json, ledgers/, report/ and
# jobs.log. HULLMARK is the program on each host; SSH_OPTIONS goes to ssh, REPORT_OPTIONS to the report (--fail-on error).
# Ended half-way, start it again: shares that have their ledgers have nothing to do.
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

# Exit code 3 is a success: an input cannot be read to its end, its ledger says so, and to read it again would not help.
# A share whose host is gone, or which fails, goes to another host, three times. A host that says nothing for fifteen
# seconds is gone; --filter-hosts leaves out those that cannot be reached at the start.
scan="cd $(printf %q "$PWD") && $(printf '%q ' "$HULLMARK" scan --plan "$plan" --ledgers "$folder/ledgers" -q)"
failed=0
seq "$shares" | parallel --sshloginfile "$hosts" --filter-hosts --retries 3 --joblog "$folder/jobs.log" \
  --ssh "ssh ${SSH_OPTIONS:-} -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3" \
  "$scan --shard {}/$shares; code=\$?; [ \$code = 3 ] || exit \$code" || failed=$?
if [ "$failed" != 0 ]; then echo "$failed shares failed three times; see $folder/jobs.log." >&2; fi

# Stores are searched once it is known what all inputs lack.
case " $* " in *" --assets"*) "$HULLMARK" scan --plan "$plan" --ledgers "$folder/ledgers" --stores || true ;; esac
# Of a plan that is whole --partial changes nothing. Of another there is a report all the same, which names what is
# missing, and exit code 3 says so.
# shellcheck disable=SC2086 # These are options, several of them.
exec "$HULLMARK" report "$folder/ledgers" --plan "$plan" --partial --out "$folder/report" ${REPORT_OPTIONS:-}

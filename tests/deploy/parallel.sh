#!/usr/bin/env bash
# Tests deploy/parallel with two hosts, which are sshd on loopback. One of them stops answering in the middle of the
# audit.
#
#   parallel.sh HULLMARK [EXPORTS]
#
# Needs root (otherwise sshd accepts no other user) and Debian's parallel and openssh-server. If they are not available,
# the test says so and is skipped.
set -euo pipefail
. "$(dirname "$0")/common.sh"
COPIES=40 SHARES=8

[ "$(id -u)" = 0 ] || skip "the test needs root for servers of its own."
unshare --pid --fork true 2>/dev/null || skip "no namespaces can be made here."
if ! command -v parallel sshd >/dev/null; then
  apt-get install --yes --no-install-recommends parallel openssh-server >/dev/null 2>&1 \
    || skip "parallel and openssh-server cannot be installed."
fi

# --- Two hosts ---------------------------------------------------------------------------------------------------------

mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f "$desk/host-key"
ssh-keygen -q -t ed25519 -N '' -f "$desk/key"
read -r -a ports <<<"$(free_ports 2)"
hosts=(ada ben)
for number in 0 1; do
  cat >"$desk/sshd-$number" <<END
ListenAddress 127.0.0.1:${ports[$number]}
HostKey $desk/host-key
AuthorizedKeysFile $desk/key.pub
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
PidFile none
END
  cat >>"$desk/ssh" <<END
Host ${hosts[$number]}
  HostName 127.0.0.1
  Port ${ports[$number]}
  User root
  IdentityFile $desk/key
  UserKnownHostsFile $desk/known
  StrictHostKeyChecking no
  LogLevel ERROR
END
  start_machine "${hosts[$number]}" /usr/sbin/sshd -D -e -f "$desk/sshd-$number"
done
export SSH_OPTIONS="-F $desk/ssh"
for host in "${hosts[@]}"; do
  # shellcheck disable=SC2086
  until_so "the host $host" ssh $SSH_OPTIONS "$host" true
done
printf '1/%s\n' "${hosts[@]}" >"$desk/hosts"

# --- An audit that loses a host ------------------------------------------------------------------------------------------

mkdir "$desk/audit"
cd "$desk/audit"
make_exports exports $COPIES
export HULLMARK=$hullmark REPORT_OPTIONS="--format csv,jsonl"
"$deploy/parallel/audit.sh" "$desk/hosts" $SHARES night exports >"$desk/night.log" 2>&1 &
audit=$!
pids[audit]=$audit

below() { # process: prints it and all that it started
  echo "$1"
  for child in $(pgrep -P "$1"); do below "$child"; done
}
scans() { # host: the scans that run on it
  local process
  for process in $(below "${pids[$1]}"); do
    if [ "$(readlink "/proc/$process/exe")" = "$hullmark" ]; then echo "$process"; fi
  done
}
# The host does not close its connections. It stops answering, as after a power failure.
signal_ben() { below "${pids[ben]}" | tail -n +2 | xargs kill "$1" 2>/dev/null || true; }
silent_in_a_share() {
  [ "$(ledgers night)" -ge 4 ] && [ -n "$(scans ben)" ] || return
  signal_ben -STOP
  if [ -z "$(scans ben)" ]; then
    signal_ben -CONT
    return 1
  fi
}
until_so "a share to lose" silent_in_a_share
lost=$(tr '\0' '\n' <"/proc/$(scans ben)/cmdline" | grep "/$SHARES$" | cut -d / -f 1)
say "The host ben fell silent when there were $(ledgers night) ledgers, and it was at share $lost."
code=0
wait "$audit" || code=$?
unset 'pids[audit]'
[ "$code" = 0 ] || fail "the audit ended with exit code $code."
say "The log of jobs (number, host, seconds, exit code):"
awk 'NR > 1 {print "         ", $1, $2, $4, $7}' night/jobs.log
awk -v lost="$lost" '$1 == lost && $2 == "ada" && $7 == 0 {found = 1} END {exit !found}' night/jobs.log \
  || fail "share $lost did not go to the other host."
audit_alone exports
same night/report || fail "the report is not that of one machine."
say "The report is byte for byte that of one machine."

# --- A share that fails three times ------------------------------------------------------------------------------------

cat >"$desk/hullmark" <<END
#!/bin/sh
case "\$*" in scan*" --shard 3/$SHARES") exit 137 ;; esac
exec "$hullmark" "\$@"
END
chmod +x "$desk/hullmark"
echo : >"$desk/here"
code=0
HULLMARK=$desk/hullmark "$deploy/parallel/audit.sh" "$desk/here" $SHARES worse exports >"$desk/worse.log" 2>&1 || code=$?
[ "$code" = 3 ] || fail "the report does not say that something is missing: exit code $code."
grep -h -E 'failed three times|INCOMPLETE' "$desk/worse.log" | sed 's/^/          /'
say "A share that always fails is missing in the report, which says so by exit code 3."

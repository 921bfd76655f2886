# Shared functions of the tests of deploy/, which source this file. Each test makes a desk, a folder that is removed at
# the end, and records its processes in `pids`.
# shellcheck shell=bash disable=SC2034

tests=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
deploy=$(realpath "$tests/../../deploy")
hullmark=$(realpath "${1:-target/release/hullmark}")
exports=${2:-$tests/../../../shared/data}
test=$(basename "$0" .sh)

skip() {
  echo "SKIPPED, $test: $1"
  exit 0
}
[ -x "$hullmark" ] || skip "there is no program $hullmark."

# Some daemons do not run as root, so other users must be able to enter the folder.
desk=$(mktemp -d "/tmp/hullmark-$test.XXXXXX")
chmod 755 "$desk"
declare -A pids=()
clean_up() {
  for name in "${!pids[@]}"; do kill -KILL "${pids[$name]}" 2>/dev/null || true; done
  wait 2>/dev/null || true
  if [ -z "${KEEP:-}" ]; then rm -rf "$desk"; fi
}
trap clean_up EXIT

say() { printf '%s  %s\n' "$(date +%T)" "$1"; }
fail() {
  say "FAILED: $1"
  find "$desk" -name '*.log' -exec tail -n 15 {} +
  exit 1
}
# Waits until a command succeeds, and gives up after five minutes.
until_so() { # what command…
  local what=$1
  shift
  for _ in $(seq 600); do
    if "$@"; then return; fi
    sleep 0.5
  done
  fail "$what did not come."
}
# Starts a program that dies like a machine: when its first process is killed, all its processes are.
start_machine() { # name command…
  local name=$1
  shift
  unshare --pid --fork --kill-child --mount-proc "$@" >"$desk/$name.log" 2>&1 &
  pids[$name]=$!
}
free_ports() { # count: prints so many
  python3 -c 'import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(one.getsockname()[1] for one in held))' "$1"
}
# Writes this number of copies of a region, and the samples.
make_exports() { # folder count
  [ -f "$exports/pathfindplayground.oar" ] || skip "there is no pathfindplayground.oar in $exports."
  mkdir -p "$1"
  for number in $(seq "$2"); do cp "$exports/pathfindplayground.oar" "$1/region$number.oar"; done
  cp -r "$tests/../../sample_data" "$1/samples"
}
ledgers() { find "$1/ledgers" -name '*.ledger' 2>/dev/null | wc -l; }
# Writes the report of a single machine, for `same`.
audit_alone() { "$hullmark" audit "$1" --out alone --format csv,jsonl -q || [ $? = 3 ]; }
# The stamp names the ledgers of a report for the next run. It is not part of the report.
same() { diff --recursive --exclude .hullmark-stamp alone "$1"; }

#!/usr/bin/env bash
# Tests deploy/slurm with a controller and three nodes on this host. One node dies in the middle of the audit.
#
#   slurm.sh HULLMARK [EXPORTS]
#
# Each node is a slurmd in its own PID namespace: when the first process in it is killed, all others are too, as after a
# power failure. Needs root and Debian's slurm-wlm and munge. If they are not available, the test says so and is
# skipped. EXPORTS (../shared/data) is a folder with pathfindplayground.oar. All files are below a folder that is
# removed at the end.
set -euo pipefail
. "$(dirname "$0")/common.sh"
COPIES=40 SHARES=9 NODES=3 DIES=node2

[ "$(id -u)" = 0 ] || skip "the test needs root for a controller and nodes of its own."
unshare --pid --fork true 2>/dev/null || skip "no namespaces can be made here."
if ! command -v slurmctld slurmd munged >/dev/null; then
  apt-get install --yes --no-install-recommends slurm-wlm munge >/dev/null 2>&1 || skip "slurm-wlm cannot be installed."
fi

# --- A cluster ---------------------------------------------------------------------------------------------------------

read -r -a ports <<<"$(free_ports $((NODES + 1)))"

mkdir -p "$desk"/{munge,state,spool/node{1..3}}
dd if=/dev/urandom of="$desk/munge/key" bs=1024 count=1 status=none
chmod 400 "$desk/munge/key"
chmod 700 "$desk/munge"
mkdir -m 755 "$desk/socket"

cat >"$desk/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
SlurmdUser=root
# A share whose node died starts again when the credential of its first attempt has expired.
AuthInfo=socket=$desk/socket/munge,cred_expire=5
StateSaveLocation=$desk/state
SlurmdSpoolDir=$desk/spool/%n
SlurmctldPidFile=$desk/slurmctld.pid
SlurmdPidFile=$desk/slurmd-%n.pid
SlurmctldLogFile=$desk/slurmctld.log
SlurmdLogFile=$desk/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
# A node that is silent for ten seconds is down.
SlurmdTimeout=10
SchedulerParameters=sched_interval=2
END
for number in $(seq $NODES); do
  echo "NodeName=node$number NodeAddr=127.0.0.1 NodeHostname=$(hostname -s) Port=${ports[$number]} CPUs=2" >>"$desk/slurm.conf"
done
echo "PartitionName=all Nodes=ALL Default=YES State=UP" >>"$desk/slurm.conf"
# The test uses no cgroups, but nodes do not start without a plugin for them.
echo "CgroupPlugin=cgroup/v1" >"$desk/cgroup.conf"
export SLURM_CONF=$desk/slurm.conf

munged --foreground --key-file="$desk/munge/key" --socket="$desk/socket/munge" --pid-file="$desk/munge/pid" \
  --log-file="$desk/munge/log" --seed-file="$desk/munge/seed" --num-threads=2 --force >"$desk/munged.log" 2>&1 &
pids[munged]=$!
until_so "munge's socket" test -S "$desk/socket/munge"
slurmctld -D >"$desk/controller.log" 2>&1 &
pids[slurmctld]=$!
for number in $(seq $NODES); do start_machine "node$number" slurmd -D -N "node$number"; done
up() { [ "$(sinfo --noheader --Node --format %T 2>/dev/null | grep -c idle)" = "$NODES" ]; }
until_so "a cluster" up
say "A cluster of $NODES nodes with 2 CPUs each: $(slurmctld -V)"

# --- An audit that loses a node ------------------------------------------------------------------------------------------

audit=$desk/audit
make_exports "$audit/exports" $COPIES
export HULLMARK=$hullmark SCAN_SBATCH="--mem=0" REPORT_SBATCH="--mem=0 --cpus-per-task=2" REPORT_OPTIONS="--format csv,jsonl"

cd "$audit"
submit() { # folder: submits an audit into it, and tells the number of the report's job
  "$deploy/slurm/submit.sh" "$1" $SHARES exports >"$desk/submitted-$1"
  sed -n 's/.*squeue --jobs \([0-9]*\),\([0-9]*\).*/\1 \2/p' "$desk/submitted-$1"
}
told() { scontrol show job "$1" | grep -o -E "\b$2=[^ ]*" | head -n 1 | cut -d = -f 2; }
finished() { case $(told "$1" JobState) in COMPLETED | FAILED | CANCELLED | TIMEOUT) ;; *) false ;; esac; }
outcome() { echo "$(told "$1" JobState), exit code $(told "$1" ExitCode), $(told "$1" Restarts) restarts, at last on $(told "$1" BatchHost)"; }

read -r scan report <<<"$(submit night)"
say "An audit in $SHARES shares is job $scan, its report job $report."
on_the_node() { squeue --noheader --array --states RUNNING --nodelist $DIES --format %i; }
begun() { [ "$(ledgers night)" -ge 4 ] && [ -n "$(on_the_node)" ]; }
until_so "the first ledgers" begun
lost=$(on_the_node)
kill -KILL "${pids[$DIES]}"
say "$DIES died with share $lost, when there were $(ledgers night) ledgers."
down() { sinfo --noheader --Node --nodes $DIES --format %T | grep -q down; }
until_so "the news of the death" down
requeued() { [ "$(told "$lost" Restarts)" -ge 1 ]; }
until_so "the share in the queue again" requeued
say "Slurm says: $DIES is $(sinfo --noheader --Node --nodes $DIES --format %T), and share $lost is $(told "$lost" JobState) again."
until_so "the report" finished "$report"
say "Share $lost: $(outcome "$lost"). Its log:"
sed 's/^/          /' "night/logs/scan-$lost.log"
say "The report: $(outcome "$report")."
[ -f night/report/audit.json ] || fail "there is no report."

audit_alone exports
same night/report || fail "the report is not that of one machine."
say "The report of $SHARES shares is byte for byte that of one machine: $(du -sh alone | cut -f 1) in $(find alone -type f | wc -l) files."

# --- A share that fails three times, and one whose time is up ----------------------------------------------------------

# Share 4 is killed, as by a lack of memory. Share 0 takes too long the first time.
cat >"$desk/hullmark" <<END
#!/bin/sh
if [ "\$1 \${SLURM_ARRAY_TASK_ID:-}" = "scan 4" ]; then kill -KILL \$\$; fi
if [ "\$1 \${SLURM_ARRAY_TASK_ID:-} \${SLURM_RESTART_COUNT:-0}" = "scan 0 0" ]; then
  trap 'exit 4' TERM
  touch "$desk/waits"
  for _ in \$(seq 600); do sleep 0.2; done
fi
exec "$hullmark" "\$@"
END
chmod +x "$desk/hullmark"
read -r scan report <<<"$(HULLMARK=$desk/hullmark submit worse)"
say "An audit of which share 4 is always killed is job $scan, its report job $report."
until_so "the share that takes too long" test -f "$desk/waits"
# scancel sends the signal that --signal sends before the time is up. It repeats this while the job returns to the
# queue, but one signal is enough.
timeout 3 scancel --batch --signal=TERM "${scan}_0" || true
until_so "the report" finished "$report"
say "Share ${scan}_0, which got SIGTERM: $(outcome "${scan}_0")."
[ "$(told "${scan}_0" JobState), $(told "${scan}_0" Restarts)" = "COMPLETED, 1" ] || fail "it did not go on."
say "Share ${scan}_4: $(outcome "${scan}_4")."
[ "$(told "${scan}_4" Restarts)" = 2 ] || fail "the share was not tried three times."
say "The report: $(outcome "$report")."
[ "$(told "$report" ExitCode)" = 3:0 ] || fail "the report does not say that something is missing."
sed -n '1,4s/^/          /p; $s/^/          /p' "worse/logs/report-$report.log"
python3 - worse/report/audit.json <<'END'
import json, sys
missing = json.load(open(sys.argv[1]))["not_covered"]
assert missing["by_missing"] == missing["inputs"] > 0, missing
print(f"          audit.json: not_covered has {missing['inputs']} inputs, of which {missing['by_missing']} by_missing")
END

"$hullmark" scan --plan worse/plan.json --ledgers worse/ledgers -q || [ $? = 3 ]
"$hullmark" report worse/ledgers --plan worse/plan.json --out worse/report --format csv,jsonl -q || [ $? = 3 ]
same worse/report || fail "the mended report is not that of one machine."
say "After one scan of what was left and a report: byte for byte that of one machine."

# --- A report in shards ----------------------------------------------------------------------------------------------

read -r scan report <<<"$(LAKE=yes submit lake)"
say "An audit whose report is written in shards is job $scan, its last step job $report."
until_so "the lake" finished "$report"
say "The last step: $(outcome "$report")."
python3 - lake/report alone <<'END'
import pathlib, sys
lake, alone = map(pathlib.Path, sys.argv[1:])
assert (lake / "audit.json").read_bytes() == (alone / "audit.json").read_bytes(), "another audit.json"
lines = lambda paths: sorted(line for path in paths for line in path.read_text("utf-8").splitlines())
tables = [path.stem for path in alone.glob("*.jsonl")]
for table in tables:
    assert lines((lake / table).glob("*.jsonl")) == lines([alone / f"{table}.jsonl"]), table
parts = len(list((lake / "objects").glob("*.jsonl")))
print(f"          {len(tables)} tables in {parts} parts have the rows of one machine")
END

# --- A night by itself -----------------------------------------------------------------------------------------------

# Debian's Slurm has no scrontab. So its entry runs here as a job of its own, with its options and the paths of this test.
entry=$(sed -e "s|/srv/audit|$audit/nightly|g" -e "s|/srv/hullmark/deploy|env HULLMARK=$hullmark $deploy|" \
  -e "s|64 /srv/oars|$SHARES $audit/exports|" -e 's|--mem=1G|--mem=0|' "$deploy/slurm/scrontab")
mkdir -p nightly/logs
mapfile -t options < <(sed -n 's/^#SCRON //p' <<<"$entry")
sbatch --wait "${options[@]}" --wrap "$(sed -n 's/^30 2 \* \* \* //p' <<<"$entry")" >/dev/null || fail "the entry of scrontab failed."
until_so "the report of a night" test -f nightly/report/audit.json
say "The entry of scrontab submitted an audit: $(head -n 1 nightly/logs/night.log)"
python3 - nightly/report/audit.json alone/audit.json <<'END'
import json, sys
night, alone = (json.load(open(path))["totals"] for path in sys.argv[1:])
assert night == alone, (night, alone)
END

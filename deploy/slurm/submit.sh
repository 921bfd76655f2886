#!/usr/bin/env bash
# Plans an audit and submits it to Slurm: an array with one task for each share, and then the report.
#
#   submit.sh FOLDER SHARES PATH… [--assets PATH]…
#
# The script writes plan.json, ledgers/, report/ and logs/ into FOLDER. Every node must see FOLDER and the exports under
# the same paths. Ledgers stay for the next run. HULLMARK is the program. SCAN_SBATCH and REPORT_SBATCH go to sbatch
# (--partition, --time, --mem), REPORT_OPTIONS to the report (--fail-on error). With LAKE=yes as many tasks write the
# report, into a lake: for millions of objects.
set -euo pipefail

if [ $# -lt 3 ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
folder=$(realpath -m "$1") shares=$2
shift 2
here=$(dirname "$(realpath "$0")")
stores=
case " $* " in *" --assets"*) stores=yes ;; esac

mkdir -p "$folder/ledgers" "$folder/logs"
export HULLMARK="${HULLMARK:-hullmark}" PLAN="$folder/plan.json" LEDGERS="$folder/ledgers" REPORT="$folder/report"
export SHARES="$shares" STORES="$stores" REPORT_OPTIONS="${REPORT_OPTIONS:-}"

"$HULLMARK" plan "$@" -o "$PLAN"

# shellcheck disable=SC2086 # These are options, several of them.
scan=$(sbatch --parsable --array="0-$((shares - 1))" --output="$folder/logs/scan-%A_%a.log" --open-mode=append \
  ${SCAN_SBATCH:-} "$here/scan.sbatch")
# Submits a step of the report: what it waits for, its flag, and options of sbatch.
report() {
  local after=$1
  export STEP=$2
  shift 2
  # shellcheck disable=SC2086
  sbatch --parsable --dependency="$after" --output="$folder/logs/report-%j.log" --open-mode=append \
    ${REPORT_SBATCH:-} "$@" "$here/report.sbatch"
}

# afterany: there is a report even if shares fail.
if [ -n "${LAKE:-}" ]; then
  across=$(report "afterany:${scan%%;*}" "--across=$shares")
  rows=$(report "afterok:${across%%;*}" "--shard=auto/$shares" --array="0-$((shares - 1))" --kill-on-invalid-dep=yes)
  report=$(report "afterany:${rows%%;*}" --join)
else
  report=$(report "afterany:${scan%%;*}" "")
fi

cat <<END
Submitted: $shares shares as job $scan, and behind them the report as job $report.
  squeue --jobs $scan,$report     what is left
  tail -n 3 $folder/logs/*        what they say
The report will be in $REPORT.
END

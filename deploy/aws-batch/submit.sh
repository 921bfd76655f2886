#!/usr/bin/env bash
# One audit on AWS Batch: a plan, an array job with one task for each share, and the report.
#
#   submit.sh QUEUE SHARES            SHARES from 2 to 10000
#
# The three job definitions next to this file contain the places of exports, plan, ledgers and report. The script
# submits the report when the array has ended, without dependsOn. Batch starts a job only if all its dependencies have
# succeeded, but a report is needed even if shares fail. If this script is ended, start it again: shares with ledgers
# have nothing to do.
set -euo pipefail

if [ $# != 2 ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
queue=$1 shares=$2
here=$(dirname "$(realpath "$0")")
: "${AWS:=aws}"

submit() { # step options…: prints the job's id
  local step=$1 definition
  shift
  definition=$("$AWS" batch register-job-definition --cli-input-json "file://$here/$step.json" \
    --query jobDefinitionArn --output text)
  "$AWS" batch submit-job --job-name "hullmark-$step" --job-queue "$queue" --job-definition "$definition" "$@" \
    --query jobId --output text
}
ended() { # job: waits, and prints SUCCEEDED or FAILED
  local status
  while
    status=$("$AWS" batch describe-jobs --jobs "$1" --query 'jobs[0].status' --output text)
    [ "$status" != SUCCEEDED ] && [ "$status" != FAILED ]
  do
    sleep "${EVERY:-30}"
  done
  echo "$status"
}

plan=$(submit plan)
scan=$(submit scan --array-properties "size=$shares" --parameters "shard=auto/$shares" --depends-on "jobId=$plan")
echo "The plan is job $plan, the scan in $shares shares job $scan."
echo "The scan: $(ended "$scan")"
report=$(submit report)
echo "The report is job $report."
outcome=$(ended "$report")
# Exit code 3: an input is missing or was not read to its end. The report names it.
echo "The report: $outcome, exit code $("$AWS" batch describe-jobs --jobs "$report" \
  --query 'jobs[0].container.exitCode' --output text)"
[ "$outcome" = SUCCEEDED ]

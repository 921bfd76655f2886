#!/usr/bin/env bash
# One audit on Kubernetes: applies a kustomization and starts its three jobs, one after the other.
#
#   run.sh base            (or a folder of your own that builds on it; object-storage is an example)
#
# The script deletes the jobs of the last audit and keeps its ledgers. If this script is ended, start it again: shares
# with ledgers have nothing to do.
set -euo pipefail

if [ $# != 1 ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
: "${KUBECTL:=kubectl}"

# Existing jobs cannot be changed.
"$KUBECTL" --namespace hullmark delete job plan scan report --ignore-not-found --wait
"$KUBECTL" apply --kustomize "$1"

ended() { # job: prints Complete or Failed once it is so
  "$KUBECTL" --namespace hullmark get job "$1" \
    --output jsonpath='{.status.conditions[?(@.status=="True")].type}' | grep -o -E '\b(Complete|Failed)\b'
}
run() { # job: lets it go, waits until it has ended, and says how
  "$KUBECTL" --namespace hullmark patch job "$1" --patch '{"spec":{"suspend":false}}'
  until how=$(ended "$1"); do sleep "${EVERY:-10}"; done
  echo "$1: $how"
  [ "$how" = Complete ]
}

run plan
# There is a report even if shares fail. It names the missing inputs.
run scan || "$KUBECTL" --namespace hullmark get job scan --output jsonpath='Shares that failed (from 0): {.status.failedIndexes}{"\n"}'
run report || true
"$KUBECTL" --namespace hullmark logs job/report

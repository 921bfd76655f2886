#!/usr/bin/env bash
# Creates or updates an audit each night on AWS: four definitions of Batch, a state machine of Step Functions that
# submits them in order, and a schedule of EventBridge that starts it.
#
#   create.sh ROLE            ARN of the role of the state machine: it may submit, describe and end jobs of Batch
#
# The places of exports, plan, ledgers and report are in the definitions, the hour and the queue in schedule.json. This
# starts an audit at once:
#
#   aws stepfunctions start-execution --state-machine-arn ARN --input '{"queue": "hullmark", "shares": 64}'
#
# With "lake": true the shares write the report, into a lake.
set -euo pipefail

if [ $# != 1 ]; then
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
role=$1
here=$(dirname "$(realpath "$0")")
: "${AWS:=aws}"

for step in plan scan report lake; do
  "$AWS" batch register-job-definition --cli-input-json "file://$here/$step.json" --query jobDefinitionArn --output text
done

# Only one of this name can be created. An existing one gets the new definition.
find=(stepfunctions list-state-machines --query "stateMachines[?name=='hullmark'].stateMachineArn" --output text)
machine=$("$AWS" "${find[@]}")
if [ -z "$machine" ]; then
  "$AWS" stepfunctions create-state-machine --name hullmark --role-arn "$role" \
    --definition "file://$here/state-machine.json" --query stateMachineArn --output text
else
  "$AWS" stepfunctions update-state-machine --state-machine-arn "$machine" --role-arn "$role" \
    --definition "file://$here/state-machine.json" --query updateDate --output text
fi

known=$("$AWS" scheduler list-schedules --name-prefix hullmark --query "Schedules[?Name=='hullmark'].Arn" --output text)
if [ -z "$known" ]; then verb=create-schedule; else verb=update-schedule; fi
"$AWS" scheduler "$verb" --cli-input-json "file://$here/schedule.json" --query ScheduleArn --output text

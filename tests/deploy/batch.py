#!/usr/bin/env python3
"""Checks deploy/aws-batch: the definitions against the shapes of AWS's own client, and the commands by running them
here. create.sh and the state machine run against a server on loopback, whose jobs do nothing.

Usage: batch.py [HULLMARK]

Needs botocore; awscli and moto[server,batch,stepfunctions] from version 5.2.5 for the second part. Missing packages are named.
"""

import json
import logging
import os
import shutil
import subprocess
import sys
import time
import uuid
from importlib import metadata

import jobs

BATCH = jobs.ROOT / "deploy" / "aws-batch"
SHARES = 17
# The oldest version of moto that runs several executions of one state machine.
MOTO = (5, 2, 5)
STEPS = ["plan", "scan", "report", "lake"]


def definitions():
    """Batch knows every member and its type. Every Ref:: has a parameter, and every parameter a Ref::."""
    import botocore.session
    from botocore.validate import ParamValidator

    model = botocore.session.get_session().get_service_model("batch")
    shape = model.operation_model("RegisterJobDefinition").input_shape
    for step in STEPS:
        definition = json.loads((BATCH / f"{step}.json").read_text())
        report = ParamValidator().validate(definition, shape)
        assert not report.has_errors(), f"{step}.json: {report.generate_report()}"
        unknown = list(unknown_members(definition, shape))
        assert not unknown, f"{step}.json: Batch knows no {', '.join(unknown)}"
        command = definition["containerProperties"]["command"]
        wanted = {word.removeprefix("Ref::") for word in command if word.startswith("Ref::")}
        assert wanted == set(definition["parameters"]), f"{step}.json: {wanted} against {definition['parameters']}"
        assert not any("Ref::" in word[1:] for word in command), f"{step}.json: Ref:: stands for a whole word only"
    print(f"aws-batch: {len(STEPS)} definitions are as Batch wants them.")


def unknown_members(value, shape, place=""):
    """Returns names that a client would drop or refuse."""
    if shape.type_name == "structure":
        for name, inner in value.items():
            if name not in shape.members:
                yield place + name
            else:
                yield from unknown_members(inner, shape.members[name], f"{place}{name}.")
    elif shape.type_name == "list":
        for inner in value:
            yield from unknown_members(inner, shape.member, place)


def commands(exports, plan, ledgers, report, step=""):
    """Returns the commands of the definitions, with other paths and another number of shares."""
    values = {"exports": exports, "plan": plan, "ledgers": ledgers, "report": report, "shard": f"auto/{SHARES}", "step": step}
    filled = lambda word: str(values[word.removeprefix("Ref::")]) if word.startswith("Ref::") else word
    command = lambda step: json.loads((BATCH / f"{step}.json").read_text())["containerProperties"]["command"]
    return {step: [filled(word) for word in command(step)] for step in STEPS}


def lake(*paths):
    """Returns the commands by which the state machine writes a report, and a lake."""
    machine = json.loads((BATCH / "state-machine.json").read_text())["States"]

    def step(state):
        given = machine[state]["Parameters"]["Parameters"]
        words = given.get("step") or given["step.$"].removeprefix("States.Format('").replace("', $.shares)", "")
        return commands(*paths, step=words.format(SHARES))["lake"]

    tasks = [{"AWS_BATCH_JOB_ARRAY_INDEX": str(number)} for number in reversed(range(SHARES))]
    of_one = commands(*paths)
    assert step("Join") == [*of_one["report"], "--join"], "a step of a lake is the report with one more flag"
    yield "read", [(of_one["plan"], {}), *((of_one["scan"], task) for task in tasks)]
    yield "report", [(of_one["report"], {})]
    yield "lake", [(step("Across"), {}), *((step("Rows"), task) for task in tasks), (step("Join"), {})]


def structure():
    """The state machine has only states that lead on, and its requests to Batch are those that Batch knows."""
    import botocore.session
    from botocore.validate import ParamValidator

    machine = json.loads((BATCH / "state-machine.json").read_text())
    states = machine["States"]
    shape = botocore.session.get_session().get_service_model("batch").operation_model("SubmitJob").input_shape
    names = set(shape.members)
    for name, state in states.items():
        ways = [state, *state.get("Catch", []), *state.get("Choices", [])]
        targets = [state.get("Default"), *(way.get("Next") for way in ways)]
        assert state.get("End") or any(targets), name
        assert all(target in states for target in targets if target), f"{name} leads to {targets}"
        if state["Type"] == "Choice":
            continue
        # Step Functions begins the names of members with a capital, and paths end in `.$`.
        members = {member[0].lower() + member[1:].removesuffix(".$") for member in state["Parameters"]}
        assert members <= names, f"{name}: Batch knows no {members - names}"
        definition = state["Parameters"]["JobDefinition"].removeprefix("hullmark-")
        assert definition in STEPS, name
        known = set(json.loads((BATCH / f"{definition}.json").read_text())["parameters"])
        assert {given.removesuffix(".$") for given in state["Parameters"].get("Parameters", {})} <= known, name
    scheduler = botocore.session.get_session().get_service_model("scheduler")
    schedule = json.loads((BATCH / "schedule.json").read_text())
    for operation in ["CreateSchedule", "UpdateSchedule"]:
        shape = scheduler.operation_model(operation).input_shape
        report = ParamValidator().validate(schedule, shape)
        assert not report.has_errors(), report.generate_report()
        assert not list(unknown_members(schedule, shape)), list(unknown_members(schedule, shape))
    assert set(json.loads(schedule["Target"]["Input"])) == {"queue", "shares"}, schedule
    print("aws-batch: state machine and schedule are as Step Functions and EventBridge want them.")


FAILS = "MOTO_SIMPLE_BATCH_FAIL_AFTER"


def submitting(url, failing):
    """Lets moto's Step Functions submit jobs. It passes on the names of Step Functions, which its Batch does not know."""
    import boto3
    from moto.stepfunctions.parser.asl.component.state.exec.state_task.service import state_task_service_batch

    client = boto3.client("batch", endpoint_url=url)

    def submit(_self, env, normalised_parameters, **_others):
        request = {name[0].lower() + name[1:]: value for name, value in normalised_parameters.items()}
        request.pop("containerOverrides", None)
        # Jobs run one after the other, so this holds for all jobs of the request.
        os.environ.pop(FAILS, None)
        if request["jobName"] in failing:
            os.environ[FAILS] = "0"
        if "arrayProperties" in request:
            request["arrayProperties"] = {"size": request["arrayProperties"]["Size"]}
        env.stack.append({"JobId": client.submit_job(**request)["jobId"]})

    state_task_service_batch.StateTaskServiceBatch._eval_service_task = submit


def execution():
    """create.sh creates and updates. The state machine runs on a server on loopback, whose jobs do nothing."""
    import boto3
    import requests
    from moto.server import ThreadedMotoServer

    # A state that fails, as it does here, is no error of the server.
    logging.disable(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"
    os.environ |= {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_PAGER": "",
        # The state machine asks Batch on this port.
        "MOTO_PORT": str(port),
    }
    settings = {"batch": {"use_docker": False}, "stepfunctions": {"execute_state_machine": True}}
    failing = set()
    submitting(url, failing)
    requests.post(f"{url}/moto-api/config", json=settings, timeout=10).raise_for_status()
    role = boto3.client("iam").create_role(RoleName="any", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    batch, machines = boto3.client("batch"), boto3.client("stepfunctions")
    batch.create_compute_environment(
        computeEnvironmentName="any", type="UNMANAGED", state="ENABLED", serviceRole=role
    )
    order = [{"order": 1, "computeEnvironment": "any"}]
    batch.create_job_queue(jobQueueName="queue", state="ENABLED", priority=1, computeEnvironmentOrder=order)
    for _ in range(2):
        ended = subprocess.run([BATCH / "create.sh", role], capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
    (machine,) = machines.list_state_machines()["stateMachines"]
    definition = machines.describe_state_machine(stateMachineArn=machine["stateMachineArn"])["definition"]
    assert definition == (BATCH / "state-machine.json").read_text(), "the file is the definition"
    (schedule,) = boto3.client("scheduler").list_schedules()["Schedules"]
    assert schedule["Target"]["Arn"].split(":")[-1] == machine["name"], schedule

    def executed(shares, **more):
        """Returns how an execution ended, and its jobs in their order."""
        before = {job["jobId"] for job in listed()}
        started = machines.start_execution(
            stateMachineArn=machine["stateMachineArn"],
            name=f"night-{uuid.uuid4()}",
            input=json.dumps({"queue": "queue", "shares": shares, **more}),
        )["executionArn"]
        deadline = time.monotonic() + 60
        while (status := machines.describe_execution(executionArn=started)["status"]) == "RUNNING":
            assert time.monotonic() < deadline, machines.get_execution_history(executionArn=started)["events"][-3:]
            time.sleep(0.2)
        new = [job["jobId"] for job in listed() if job["jobId"] not in before]
        return status, sorted(batch.describe_jobs(jobs=new)["jobs"], key=lambda job: job["createdAt"])

    def listed():
        return [job for status in ("SUCCEEDED", "FAILED") for job in batch.list_jobs(jobQueue="queue", jobStatus=status)["jobSummaryList"]]

    def in_order(names):
        return [name for name, before in zip(names, [None, *names]) if name != before]

    status, jobs = executed(SHARES)
    names = [job["jobName"] for job in jobs]
    assert (status, in_order(names)) == ("SUCCEEDED", ["hullmark-plan", "hullmark-scan", "hullmark-report"]), names
    # The job of the array is one of them.
    assert names.count("hullmark-scan") == SHARES + 1, names
    assert all(job["parameters"]["shard"] == f"auto/{SHARES}" for job in jobs if job["jobName"] == "hullmark-scan"), jobs
    *_, scan, report = jobs
    assert report["createdAt"] >= scan["stoppedAt"], "the report begins when all shares have ended"
    # With a lake the shares write it.
    status, jobs = executed(3, lake=True)
    names = [job["jobName"] for job in jobs]
    assert (status, in_order(names)) == ("SUCCEEDED", ["hullmark-plan", "hullmark-scan", "hullmark-lake"]), names
    # The job of the array is one of them.
    steps = [job["parameters"]["step"] for job in jobs if job["jobName"] == "hullmark-lake"]
    assert steps == ["--across=3", *["--shard=auto/3"] * 4, "--join"], steps
    assert in_order([job["jobName"] for job in executed(3, lake=False)[1]])[-1] == "hullmark-report"
    # Shares fail: there is a report. The plan fails: there is nothing to scan or report.
    failing.add("hullmark-scan")
    status, jobs = executed(3)
    assert (status, jobs[-1]["jobName"], jobs[-1]["status"]) == ("SUCCEEDED", "hullmark-report", "SUCCEEDED"), jobs
    failing.add("hullmark-report")
    assert executed(3)[0] == "FAILED", "a report that ends with 3 is seen"
    failing.add("hullmark-plan")
    status, jobs = executed(3)
    assert (status, [job["jobName"] for job in jobs]) == ("FAILED", ["hullmark-plan"]), jobs
    server.stop()
    print("aws-batch: create.sh creates and updates. The state machine runs plan, shares and report or lake, however shares end.")


if __name__ == "__main__":
    try:
        import botocore  # noqa: F401
    except ImportError:
        sys.exit(print("SKIPPED, aws-batch: there is no botocore (pip install botocore)."))
    definitions()
    structure()
    jobs.check("aws-batch", jobs.program(), commands, "AWS_BATCH_JOB_ARRAY_INDEX", SHARES)
    jobs.check_lake("aws-batch", jobs.program(), lake)
    try:
        import moto.server  # noqa: F401
    except ImportError:
        sys.exit(print("SKIPPED, aws-batch: there is no moto, so nothing was run (pip install 'moto[server,batch,stepfunctions]')."))
    if (version := tuple(map(int, metadata.version("moto").split(".")[:3]))) < MOTO:
        sys.exit(print(f"SKIPPED, aws-batch: moto {version} cannot run a machine twice, so nothing was run."))
    if not shutil.which("aws"):
        sys.exit(print("SKIPPED, aws-batch: there is no aws, so nothing was run (pip install awscli)."))
    execution()

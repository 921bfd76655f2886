#!/usr/bin/env python3
"""Checks deploy/aws-batch: the definitions against the shapes of AWS's own client, the commands by running them
here, and submit.sh against a server on loopback that answers like Batch but runs nothing.

Usage: batch.py [HULLMARK]

Needs botocore; awscli and moto[server,batch] for the second part. Missing packages are named.
"""

import json
import logging
import os
import re
import shutil
import subprocess
import sys

import jobs

BATCH = jobs.ROOT / "deploy" / "aws-batch"
SHARES = 17
STEPS = ["plan", "scan", "report"]


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


def commands(exports, plan, ledgers, report):
    """Returns the commands of the definitions, with other paths and another number of shares."""
    values = {"exports": exports, "plan": plan, "ledgers": ledgers, "report": report, "shard": f"auto/{SHARES}"}
    filled = lambda word: str(values[word.removeprefix("Ref::")]) if word.startswith("Ref::") else word
    command = lambda step: json.loads((BATCH / f"{step}.json").read_text())["containerProperties"]["command"]
    return {step: [filled(word) for word in command(step)] for step in STEPS}


def submission():
    """submit.sh registers, submits and waits. The test checks the requests that arrive."""
    import boto3
    import requests
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.WARNING)
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
        "EVERY": "1",
    }
    requests.post(f"{url}/moto-api/config", json={"batch": {"use_docker": False}}, timeout=10).raise_for_status()
    role = boto3.client("iam").create_role(RoleName="batch", AssumeRolePolicyDocument="{}")["Role"]["Arn"]
    batch = boto3.client("batch")
    batch.create_compute_environment(
        computeEnvironmentName="any", type="UNMANAGED", state="ENABLED", serviceRole=role
    )
    order = [{"order": 1, "computeEnvironment": "any"}]
    batch.create_job_queue(jobQueueName="queue", state="ENABLED", priority=1, computeEnvironmentOrder=order)

    def submitted(of):
        ended = subprocess.run([BATCH / "submit.sh", "queue", str(of)], capture_output=True, text=True, check=False)
        ids = re.findall(r"job ([0-9a-f-]{36})", ended.stdout)
        jobs = batch.describe_jobs(jobs=ids)["jobs"] if ids else []
        return ended, sorted(jobs, key=lambda job: ids.index(job["jobId"]))

    ended, jobs = submitted(SHARES)
    assert ended.returncode == 0, ended.stderr
    assert [job["jobName"] for job in jobs] == [f"hullmark-{step}" for step in STEPS], jobs
    plan, scan, report = jobs
    assert scan["arrayProperties"]["size"] == SHARES and scan["parameters"]["shard"] == f"auto/{SHARES}", scan
    assert scan["dependsOn"] == [{"jobId": plan["jobId"]}], scan
    assert not report.get("dependsOn"), report

    # Every job fails. There is still a report, and the script says so.
    os.environ["MOTO_SIMPLE_BATCH_FAIL_AFTER"] = "0"
    ended, jobs = submitted(3)
    assert ended.returncode == 1 and len(jobs) == 3, ended
    assert "The scan: FAILED" in ended.stdout and "The report: FAILED" in ended.stdout, ended.stdout
    server.stop()
    print("aws-batch: submit.sh submits a plan, an array behind it, and a report when the array has ended or failed.")


if __name__ == "__main__":
    try:
        import botocore  # noqa: F401
    except ImportError:
        sys.exit(print("SKIPPED, aws-batch: there is no botocore (pip install botocore)."))
    definitions()
    jobs.check("aws-batch", jobs.program(), commands, "AWS_BATCH_JOB_ARRAY_INDEX", SHARES)
    try:
        import moto.server  # noqa: F401
    except ImportError:
        sys.exit(print("SKIPPED, aws-batch: there is no moto, so nothing was submitted (pip install 'moto[server,batch]')."))
    if not shutil.which("aws"):
        sys.exit(print("SKIPPED, aws-batch: there is no aws, so nothing was submitted (pip install awscli)."))
    submission()

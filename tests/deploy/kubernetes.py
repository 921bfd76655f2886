#!/usr/bin/env python3
"""Checks deploy/kubernetes: the output of kustomize against the schemas of the API, values that must agree,
the commands by running them here as the pods would, and the workflow of Argo.

Usage: kubernetes.py [HULLMARK]

Needs kubectl or kustomize, and kubernetes-validate and hera, which contain the schemas. Missing tools are named.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import jobs

KUBERNETES = jobs.ROOT / "deploy" / "kubernetes"
# The oldest version in which all used features are stable, and the newest that the validator knows.
VERSIONS = ["1.33", None]

def built(folder):
    import yaml

    tool = ["kubectl", "kustomize"] if shutil.which("kubectl") else ["kustomize", "build"]
    made = subprocess.run([*tool, folder], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    return list(yaml.safe_load_all(made.stdout))


def validated(name, resources):
    import kubernetes_validate

    for version in VERSIONS:
        version = version or kubernetes_validate.latest_version()
        for resource in resources:
            try:
                kubernetes_validate.validate(resource, version, strict=True)
            except kubernetes_validate.ValidationError as error:
                sys.exit(f"{name}: {resource['kind']} {resource['metadata']['name']} in {version}: {error}")
    print(f"kubernetes: {len(resources)} resources of {name} are as the API wants them.")


def agreeing(name, resources):
    """Checks values that are in two places, which no schema covers. Returns the containers in their order, and the
    settings."""
    by_name = lambda kind: {one["metadata"]["name"]: one for one in resources if one["kind"] == kind}
    maps, claims, secrets = by_name("ConfigMap"), by_name("PersistentVolumeClaim"), by_name("Secret")
    (cron,) = by_name("CronJob").values()
    job = cron["spec"]["jobTemplate"]["spec"]
    pod = job["template"]["spec"]
    (settings,) = (one["data"] for one in maps.values())
    assert int(settings["SHARES"]) == job["completions"], f"{name}: SHARES and completions differ"
    assert job["completionMode"] == "Indexed" and "suspend" not in job
    containers = {one["name"]: one for one in pod["initContainers"] + pod["containers"]}
    assert list(containers) == ["plan", "scan", "report"], list(containers)
    volumes = {one["name"]: one for one in pod["volumes"]}
    for container in containers.values():
        for source in container["envFrom"]:
            kind, reference = next(iter(source.items()))
            assert reference["name"] in {"configMapRef": maps, "secretRef": secrets}[kind], reference
        own = {one["name"] for one in container["env"]}
        for variable in re.findall(r"\$\((\w+)\)", " ".join(container["args"])):
            assert variable in settings or variable in own, f"{name}: nobody sets {variable}"
        assert {one["name"] for one in container["volumeMounts"]} == set(volumes), name
    for volume in volumes.values():
        claim = volume.get("persistentVolumeClaim")
        assert not claim or claim["claimName"] in claims, volume
    for rule in job["podFailurePolicy"]["rules"]:
        assert rule.get("onExitCodes", {}).get("containerName", "plan") in containers, rule
    return containers, settings


def commands(containers, settings):
    """Returns the commands of the containers with other paths in their settings."""

    def with_paths(exports, plan, ledgers, report):
        values = settings | {"EXPORTS": exports, "PLANS": plan.parent, "LEDGERS": ledgers, "REPORT": report}
        values["JOB"] = plan.stem
        expanded = lambda word: re.sub(r"\$\((\w+)\)", lambda variable: str(values[variable[1]]), word)
        return {
            name: [expanded(word) for word in container["command"] + container["args"]]
            for name, container in containers.items()
        }

    return with_paths


def workflow():
    """Argo knows every member of the workflow, its tasks follow each other, and its commands are those of the jobs."""
    resources = built(KUBERNETES / "argo")
    validated("argo", [one for one in resources if one["kind"] != "CronWorkflow"])
    assert not [one for one in resources if one["kind"] == "CronJob"], "the workflow replaces the job"
    (cron,) = (one for one in resources if one["kind"] == "CronWorkflow")
    try:
        from hera.workflows.models import CronWorkflow
    except ImportError:
        print("SKIPPED, members of the workflow: there are no models of Argo (pip install hera).")
    else:
        read = CronWorkflow.model_validate(cron).model_dump(by_alias=True, exclude_none=True, mode="json")
        assert not list(lost(cron, read)), f"argo: unknown members {list(lost(cron, read))}"
    spec = cron["spec"]["workflowSpec"]
    (settings,) = (one["data"] for one in resources if one["kind"] == "ConfigMap")
    (settings_name,) = (one["metadata"]["name"] for one in resources if one["kind"] == "ConfigMap")
    templates = {template["name"]: template for template in spec["templates"]}
    tasks = {task["name"]: task for task in templates[spec["entrypoint"]]["dag"]["tasks"]}
    assert list(tasks) == ["plan", "scan", "report", "across", "rows", "join"] and "depends" not in tasks["plan"], tasks
    assert tasks["scan"]["depends"] == "plan.Succeeded", tasks["scan"]
    # There is a report, however the shares end, and it is one of both.
    ended = lambda task: {f"{task}.{how}" for how in ["Succeeded", "Failed", "Errored"]}
    for after, before in [("report", "scan"), ("across", "scan"), ("join", "rows")]:
        assert set(tasks[after]["depends"].split(" || ")) == ended(before), tasks[after]
    assert tasks["rows"]["depends"] == "across.Succeeded", tasks["rows"]
    (parameter,) = spec["arguments"]["parameters"]
    lake = f"{{{{workflow.parameters.{parameter['name']}}}}}"
    assert (tasks["report"]["when"], tasks["across"]["when"]) == (f"{lake} != true", f"{lake} == true")
    for task in ["scan", "rows"]:
        ends = tasks[task]["withSequence"]
        assert (ends["start"], ends["end"]) == ("1", settings["SHARES"]), f"{ends} against {settings['SHARES']}"
    accounts = {one["metadata"]["name"] for one in resources if one["kind"] == "ServiceAccount"}
    assert spec["executor"]["serviceAccountName"] in accounts
    volumes = {volume["name"] for volume in spec["volumes"]}
    found = {}
    for name in [template for template in templates if template != spec["entrypoint"]]:
        container = templates[name]["container"]
        assert container["image"].startswith("registry.example.org/hullmark:"), container["image"]
        assert [source["configMapRef"]["name"] for source in container["envFrom"]] == [settings_name]
        assert {mount["name"] for mount in container["volumeMounts"]} <= volumes
        for variable in re.findall(r"\$\((\w+)\)", " ".join(container["args"])):
            assert variable in settings, f"argo: nobody sets {variable}"
        found[name] = container
    print("kubernetes: the workflow of argo has the members that Argo knows, in their order.")
    of_job = agreeing("base", built(KUBERNETES / "base"))[0]
    # A step of a lake is the report with one more flag.
    assert found["lake"]["args"] == [*found["report"]["args"], "{{inputs.parameters.step}}"], found["lake"]
    lake_of(found, [tasks[name]["arguments"]["parameters"][0]["value"] for name in ["across", "rows", "join"]])
    del found["lake"]
    for name, container in found.items():
        args = " ".join(container["args"]).replace("{{inputs.parameters.share}}/", "auto/").replace("--partial ", "")
        # A workflow has an order, so it needs one plan, and writes a report of the shares that did not fail.
        expected = " ".join(of_job[name]["args"]).replace("$(JOB)", "plan").replace("--if-complete ", "")
        expected = expected.replace(" --keep", "")
        assert re.sub(r'--threads \d+', "", args) == re.sub(r'--threads \d+', "", expected), f"{name}: {args} against {expected}"
    print("kubernetes: its commands are those of the job, with the number of the share in place of `auto`.")


def lake_of(containers, steps):
    """Runs the steps of a lake as the pods would. It has the sums and objects of one machine."""
    shares, (across, rows, join) = 3, steps
    numbers = [str(number) for number in range(shares, 0, -1)]

    def commands(exports, plan, ledgers, report):
        values = {"EXPORTS": exports, "PLANS": plan.parent, "LEDGERS": ledgers, "SHARES": shares, "REPORT": report}

        def command(name, step="", item=""):
            words = " ".join(containers[name]["args"]).replace("{{inputs.parameters.step}}", step)
            words = words.replace("{{inputs.parameters.share}}", item).replace("{{item}}", item)
            words = re.sub(r"\$\((\w+)\)", lambda variable: str(values[variable[1]]), words)
            return ["hullmark", *words.split()], {}

        yield "read", [command("plan"), *(command("scan", item=number) for number in numbers)]
        yield "report", [command("report")]
        of_shards = [command("lake", rows, number) for number in numbers]
        yield "lake", [command("lake", across), *of_shards, command("lake", join)]

    jobs.check_lake("argo", jobs.program(), commands)


def lost(wanted, read, place=""):
    """Returns members that a reader dropped."""
    if isinstance(wanted, dict):
        for name, inner in wanted.items():
            if name not in read:
                yield f"{place}.{name}"
            else:
                yield from lost(inner, read[name], f"{place}.{name}")
    elif isinstance(wanted, list):
        for number, (inner, same) in enumerate(zip(wanted, read, strict=True)):
            yield from lost(inner, same, f"{place}[{number}]")


if __name__ == "__main__":
    try:
        import kubernetes_validate  # noqa: F401
    except ImportError:
        sys.exit(print("SKIPPED, kubernetes: there are no schemas (pip install kubernetes-validate)."))
    if not shutil.which("kubectl") and not shutil.which("kustomize"):
        import yaml

        for path in sorted((KUBERNETES / "base").glob("*.yaml")):
            if path.stem != "kustomization":
                validated(path.name, list(yaml.safe_load_all(path.read_text())))
        sys.exit(print("SKIPPED, kubernetes: there is no kubectl and no kustomize, so what they make was not looked at."))
    for name in ["base", "object-storage"]:
        resources = built(KUBERNETES / name)
        validated(name, resources)
        found, settings = agreeing(name, resources)
        shares = int(settings["SHARES"])
        with_paths = commands(found, settings)
        jobs.check(f"kubernetes ({name})", jobs.program(), with_paths, "JOB_COMPLETION_INDEX", shares, as_pods=True)
    workflow()

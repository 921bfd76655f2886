"""Slow inputs of `repair` and `extract`: documents of n faults, and archives of which n copies are made."""

from bombs import archive, measure, member

# A repair audits the archive and its copy, so some of its time is theirs.
COPY = "copy.oar"

PART = "<SceneObjectPart><Shape></Shape>%s</SceneObjectPart>"


def group(text):
    return f"<SceneObjectGroup>{text}</SceneObjectGroup>"


def inside(text):
    """Returns an object with a text in its only prim."""
    return group(PART % text)


def copied(*command):
    """Writes a copy. A loader may still refuse it, and the archive may be cut by a limit."""
    run = measure(command)
    assert run.code in (0, 1, 3), (command, run)
    return run


def repaired(document, name=b"objects/a.xml"):
    """Repairs an archive with one document of n faults."""
    def write(folder, count):
        archive(folder / "a.oar", [member(name, document(count).encode())], level=1)
        return [folder / "a.oar"]

    def run(hullmark, arguments, out):
        return copied(hullmark, "repair", *arguments, "--out", out.with_name(COPY), "--overwrite", "-q")
    return write, run


def extracted(make, *flags, out_name=COPY):
    """Extracts from an archive of n things."""
    def write(folder, count):
        archive(folder / "a.oar", [make(count)], level=1)
        return [folder / "a.oar"]

    def run(hullmark, arguments, out):
        return copied(hullmark, "extract", *arguments, "--out", out.with_name(out_name), "--overwrite", "-q", *flags)
    return write, run


def settings(text):
    return f"<RegionSettings><General>{text}</General></RegionSettings>"


def owners(count):
    """Returns n objects, each of an owner of its own, all over four regions of 256 m."""
    text = ("<SceneObjectGroup><SceneObjectPart><UUID><UUID>%s</UUID></UUID><GroupPosition><X>%d</X><Y>%d</Y><Z>30</Z>"
            "</GroupPosition><Shape></Shape><OwnerID><UUID>%s</UUID></OwnerID></SceneObjectPart></SceneObjectGroup>")
    uuid = "%08x-0000-4000-8000-%012x"
    return b"".join(
        member(b"objects/%d.xml" % n, (text % (uuid % (1, n), n % 512, n // 512 % 512, uuid % (2, n % 100))).encode())
        for n in range(count))


COPIES = {
    "repair: n prims without a shape": (10_000, *repaired(lambda n: group("<SceneObjectPart></SceneObjectPart>" * n))),
    "repair: n numbers that cannot be read": (10_000, *repaired(lambda n: inside("<LinkNum>x</LinkNum>" * n))),
    "repair: n elements that stay open": (10_000, *repaired(lambda n: group("<a>" * n))),
    "repair: n ends that fit nothing": (10_000, *repaired(lambda n: group("</b>" * n))),
    "repair: n beginnings of a comment": (10_000, *repaired(lambda n: group("<!--" * n))),
    "repair: n beginnings of a reference": (10_000, *repaired(lambda n: group("&#" * n))),
    "repair: n names without values": (10_000, *repaired(lambda n: f"<SceneObjectGroup {'a ' * n}></SceneObjectGroup>")),
    "repair: n prims of one UUID": (10_000, *repaired(lambda n: group(
        PART % "<UUID><UUID>0b0b0b0b-0000-4000-8000-000000000001</UUID></UUID>" * n))),
    "repair: n saved states": (10_000, *repaired(lambda n: group(
        PART % "" + "<SavedScriptState UUID='x'></SavedScriptState>" * n))),
    "repair: n settings that nobody knows": (10_000, *repaired(lambda n: settings("<x>1</x>\n" * n), b"settings/a.xml")),
    "repair: n settings that cannot be read": (
        10_000, *repaired(lambda n: settings("<AllowDamage>x</AllowDamage>\n" * n), b"settings/a.xml")),
    "extract: n objects to an inventory": (1_000, *extracted(owners, "--within", "0,0,999,999", out_name="copy.iar")),
    "extract: n objects to another place": (1_000, *extracted(owners, "--within", "0,0,99,99", "--at", "128,128,30")),
    "extract: n objects of 100 owners": (1_000, *extracted(owners, "--per", "owner", out_name="owners")),
}

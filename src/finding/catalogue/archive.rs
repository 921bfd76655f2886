//! ARC: the rows of the table.

family! {
    "ARC" "The archive as a container"

    ARC001 Blocker "" "Archive is damaged or cut short" {
        message: "The compressed stream cannot be read to its end: {detail}",
        why: "",
        engines: "",
        fix: "Make the export again and compare its size with earlier ones; OpenSim restores only what stands before the damage.",
        source: "",
    }

    ARC002 Blocker "bytes" "Tar structure is broken" {
        message: "The tar structure is broken: {detail}",
        why: "",
        engines: "",
        fix: "Make the export again; a loader stops silently at this place.",
        source: "",
    }

    ARC003 Blocker "" "Control file is missing" {
        message: "archive.xml is missing: {detail}",
        why: "",
        engines: "",
        fix: "OpenSim refuses the archive; put archive.xml back at the top level of the archive.",
        source: "",
    }

    ARC005 Warning "" "Control file is not first" {
        message: "archive.xml is not the first entry: {detail}",
        why: "",
        engines: "",
        fix: "OpenSim rewinds and reads again, which fails on a stream; save the archive again to be safe.",
        source: "",
    }

    ARC006 Blocker "" "Archive version cannot be loaded" {
        message: "The control file's version is not one that can be loaded: {detail}",
        why: "",
        engines: "",
        fix: "OpenSim refuses a major version above 1 or one that is not a number; correct archive.xml.",
        source: "",
    }

    ARC007 Error "" "Tar entries that OpenSim does not know" {
        message: "The archive holds tar records that OpenSim ignores: {detail}",
        why: "",
        engines: "",
        fix: "Pack with GNU tar (--format=gnu) and without links, or export again.",
        source: "",
    }

    ARC009 Info "" "Archive has no assets" {
        message: "The archive comes without assets: {detail}",
        why: "",
        engines: "",
        fix: "Costs of meshes are not evaluated; export with assets for a whole audit.",
        source: "",
    }

    ARC010 Error "" "Asset name cannot be understood" {
        message: "An asset would not be restored: {detail}",
        why: "",
        engines: "",
        fix: "Asset files are named UUID, underscore, type; remove or rename this one.",
        source: "",
    }

    ARC011 Error "" "Unsafe or unreadable entry name" {
        message: "An entry's name is unsafe or not text: {detail}",
        why: "",
        engines: "",
        fix: "Do not unpack this archive with other tools; export again.",
        source: "",
    }

    ARC012 Error "" "Over a decoding budget" {
        message: "Given up because a budget is spent: {detail} (measured {measured}, limit {limit})",
        why: "",
        engines: "",
        fix: "Raise the limit in [limits] if the content is genuine.",
        source: "",
    }

    ARC013 Warning "" "Manifest and regions disagree" {
        message: "The manifest of a multi-region archive and its folders disagree: {detail}",
        why: "",
        engines: "",
        fix: "That region is skipped when loading; correct archive.xml or export again.",
        source: "",
    }
}

//! RUN: the audit itself. What it did not see, or could not say.

family! {
    "RUN" "The audit itself"

    RUN001 Error "" "Not read" {
        message: "This could not be read: {detail}",
        why: "A file or a folder could not be opened, or the disk failed while it was read. Silence would be \
              the worst answer: the audit is incomplete and exits with 3.",
        engines: "",
        fix: "The audit is incomplete: make it readable and run again.",
        source: "hullmark, README.md, exit codes",
    }

    RUN005 Error "" "Internal error" {
        message: "hullmark failed here: {detail}",
        why: "A mistake of this program. It costs the member at which it happened, and not the rest of the \
              run.",
        engines: "",
        fix: "Please report it with the file; the rest of the audit is not affected.",
        source: "hullmark, docs/architecture.md, Threads",
    }

    RUN006 Info "findings" "More of the same" {
        message: "{measured} more findings of {detail} in this input are not listed",
        why: "One hostile file could bury a report under findings of one kind. The first of each are listed, \
              as many as findings_per_code says; the others are counted.",
        engines: "",
        fix: "Mend the listed ones first, or raise findings_per_code in [limits].",
        source: "hullmark, config/hullmark.toml, [limits]",
    }

    RUN007 Info "bytes" "File of unknown kind" {
        message: "Not audited, because its kind is not known: {detail}",
        why: "What a file is is told from its first bytes, not from its name. What is not known is named, so \
              that nothing which was seen is passed over in silence.",
        engines: "",
        fix: "Nothing to do if it is not an export.",
        source: "hullmark, docs/architecture.md",
    }
}

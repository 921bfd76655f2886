//! RUN: the rows of the table.

family! {
    "RUN" "The audit itself"

    RUN001 Error "" "Not read" {
        message: "This could not be read: {detail}",
        why: "",
        engines: "",
        fix: "The audit is incomplete: make it readable and run again.",
        source: "",
    }

    RUN005 Error "" "Internal error" {
        message: "hullmark failed here: {detail}",
        why: "",
        engines: "",
        fix: "Please report it with the file; the rest of the audit is not affected.",
        source: "",
    }

    RUN006 Info "findings" "More of the same" {
        message: "{measured} more findings of {detail} in this input are not listed",
        why: "",
        engines: "",
        fix: "Mend the listed ones first, or raise findings_per_code in [limits].",
        source: "",
    }

    RUN007 Info "bytes" "File of unknown kind" {
        message: "Not audited, because its kind is not known: {detail}",
        why: "",
        engines: "",
        fix: "Nothing to do if it is not an export.",
        source: "",
    }
}

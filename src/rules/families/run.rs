//! RUN: the audit itself, including inputs that it could not read or evaluate.

use super::archive::for_all;
use crate::RuleOutcomes;
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::defect::{Defect, DefectKind, InputDefect};
use hullmark_ledger::facts::UnknownFile;
use std::collections::HashSet;

rules! {
    RUN001 "" "Input could not be read" {
        about: Entry,
        effect: Unknown,
        message: "Reading failed: {detail}",
        why: "A file, a folder or a ledger could not be opened or is damaged, or the disk failed during the read. The \
              audit is incomplete and exits with 3. A file that was removed during the audit does not make its folder \
              incomplete.",
        fix: "If the file is damaged, save it again or download it again. Otherwise make it readable, and run again. \
              For a ledger, follow the message.",
        source: "hullmark, docs/exit-codes.md",
    }

    RUN002 "findings" "Waiver expired or unused" {
        about: Run,
        effect: Note,
        message: "The waiver for {within} {detail}",
        why: "An expired waiver waives nothing: its findings count again. An unused waiver would hide a later \
              finding under the same name.",
        engines: [
            "hullmark" => "Reports a waiver as unused only if the run read all inputs to their end and left nothing \
                out. An archive and a region that the waiver names must be among them. Otherwise the check is not \
                evaluated.",
        ],
        fix: "Fix what the waiver covers, or renew it with `hullmark waive FINGERPRINT --renew`. Remove waivers that \
              are not needed.",
        source: "hullmark, docs/waivers.md",
    }

    RUN003 "checks" "Checks not evaluated" {
        about: Archive,
        effect: Unknown,
        message: "Checks were not evaluated because {detail}",
        why: "A rule passes, fails or is not evaluated. An unknown value is neither a pass nor a 0. checks.csv has \
              the three numbers for each rule.",
        fix: "Repair or replace what the other findings of this input name, and audit again. Until then, assume that \
              these rules may fail.",
        source: "hullmark, docs/architecture.md, Promises",
    }

    RUN005 "" "Internal error" {
        about: Entry,
        effect: Unknown,
        message: "hullmark failed with an internal error: {detail}",
        why: "This is a bug in hullmark. The member where it happened is not audited. The rest of the run is not \
              affected.",
        fix: "Please report this bug with the file.",
        source: "hullmark, docs/architecture.md, Threads",
    }

    RUN007 "bytes" "File of unknown type" {
        about: Entry,
        effect: Note,
        check: unknown_file,
        message: "The file was not audited because its type is unknown: {detail}",
        why: "The type of a file is read from its first bytes, not from its name. Unknown files are listed, so you \
              can see that none was skipped silently.",
        fix: "Ignore the file if it is not an export. If it is one, check whether it is damaged.",
        source: "hullmark, docs/architecture.md",
    }

    RUN008 "" "Input not read to its end" {
        about: Archive,
        effect: Unknown,
        message: "Reading stopped early: {detail}",
        why: "With --timeout-per-input, one hanging disk or hostile archive cannot block the other inputs. SIGINT \
              and SIGTERM stop an input in the same way. The report covers what was read until then. The audit is \
              incomplete and exits with 3, or with 4 after a signal.",
        fix: "Audit the input alone with a longer --timeout-per-input, or without it. After a signal, run again.",
        source: "hullmark, docs/first-audit.md",
    }

    RUN009 "bytes" "Nothing to audit" {
        about: Entry,
        effect: Unknown,
        message: "No export was found: {detail}",
        why: "You named a file or folder that contains no export. A disk that is not mounted looks like an empty \
              folder. The audit is incomplete and exits with 3. Files of unknown type below a folder with exports \
              are RUN007 and do not change the exit code.",
        fix: "Check the path, and check that its disk is mounted. If it contains no export, do not name it.",
        source: "hullmark, docs/exit-codes.md",
    }

    RUN010 "" "Input left out after crashes" {
        about: Archive,
        effect: Unknown,
        message: "The input was not read: {detail}",
        why: "Nothing can catch a crash, a lack of memory or SIGKILL. So a run that finds the input of a run that died \
              reads it last and alone. If that run dies, too, the next one leaves the input out. The other inputs are \
              reported. The audit is incomplete and exits with 3.",
        fix: "Give the run more memory, or report the crash as a bug with the file. The input is read again if its file, \
              the limits or the program change, and with --retry. Otherwise it is tried again after 1, 2, 4 and at most \
              64 runs.",
        source: "hullmark, docs/reliability.md, Faults",
    }
}

/// A file of unknown type. RUN009 reports files that were named on the command line.
fn unknown_file(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let no_export = |defect: &&Defect| matches!(defect.kind, DefectKind::Input(InputDefect::NoExport { .. }));
    let named = measured.ledger.defects.iter().filter(no_export);
    let named: HashSet<&str> = named.map(|defect| defect.place.entry.as_str()).collect();
    let is_reported = |file: &&UnknownFile| file.is_failed_backup() || named.contains(file.entry.as_str());
    let unknown = measured.ledger.unknown.iter().filter(|file| !is_reported(file));
    outcomes.extend(
        unknown.map(|file| {
            for_all(file, Finding::new(Code::RUN007).entry(&file.entry).detail(&file.looks_like))
        }),
    );
}

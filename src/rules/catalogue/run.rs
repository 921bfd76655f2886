//! RUN: the audit itself. What it did not see, or could not say.

rules! {
    RUN001 "" "Not read" {
        about: Entry,
        effect: Unknown,
        message: "This could not be read: {detail}",
        why: "A file or a folder could not be opened, or the disk failed while it was read. Silence would be \
              the worst answer: the audit is incomplete and exits with 3.",
        fix: "The audit is incomplete: make it readable and run again.",
        source: "hullmark, README.md, exit codes",
    }

    RUN002 "findings" "Waiver expired, unused or of an old fingerprint" {
        about: Run,
        effect: Note,
        message: "The waiver of {within} {detail}",
        why: "A waiver is a promise to look again. One that has ended waives nothing: what it covered counts again. One \
              that covers nothing any more hides what comes back under the same name. Whether one is unused is known \
              only where everything was read to its end, nothing was left out, and the run looked into an archive and \
              a region that the waiver names; else it is not evaluated. One whose fingerprint is of an earlier version, in which several findings \
              shared it, waives none of them: it is named with the findings that it may mean.",
        fix: "Mend what it covers, or decide anew and renew it (`hullmark waive FINGERPRINT --renew`); take those out of \
              the file that are not needed. Where it has an old fingerprint, write a waiver for each finding that it means.",
        source: "hullmark, README.md, Waivers",
    }

    RUN003 "checks" "Not evaluated" {
        about: Archive,
        effect: Unknown,
        message: "Some checks could not be made, because {within}: {detail}",
        why: "A rule passes, fails, or cannot be evaluated, and what is not known is neither a pass nor a 0. \
              checks.csv has the three numbers for each rule.",
        fix: "Mend the reason and audit again; until then take it that these rules may fail.",
        source: "hullmark, docs/architecture.md, Promises",
    }

    RUN005 "" "Internal error" {
        about: Entry,
        effect: Unknown,
        message: "hullmark failed here: {detail}",
        why: "A mistake of this program. It costs the member at which it happened, and not the rest of the \
              run.",
        fix: "Please report it with the file; the rest of the audit is not affected.",
        source: "hullmark, docs/architecture.md, Threads",
    }

    RUN007 "bytes" "File of unknown kind" {
        about: Entry,
        effect: Note,
        message: "Not audited, because its kind is not known: {detail}",
        why: "What a file is is told from its first bytes, not from its name. What is not known is named, so \
              that nothing which was seen is passed over in silence.",
        fix: "Nothing to do if it is not an export.",
        source: "hullmark, docs/architecture.md",
    }

    RUN008 "" "Given up before its end" {
        about: Archive,
        effect: Unknown,
        message: "This was not read to its end: {detail}",
        why: "With --timeout-per-input an input that takes longer is given up, so that one disk that hangs, or one \
              archive that somebody made to take long, costs no other its audit. SIGINT and SIGTERM end it in the same way. \
              What was read by then is reported; of the rest nothing is known, and the audit is incomplete and exits with \
              3, or with 4 behind a signal.",
        fix: "Audit it by itself with more time, or without --timeout-per-input; run again what a signal ended.",
        source: "hullmark, README.md, Use",
    }

    RUN009 "bytes" "Nothing to audit" {
        about: Entry,
        effect: Unknown,
        message: "There is nothing to audit here: {detail}",
        why: "You named this file or folder, and it holds no export. A disk that is not mounted looks like an empty \
              folder, and a night without exports must not pass for a good one. The audit is incomplete and exits \
              with 3. Files of unknown kind below a folder with exports are RUN007 and change no exit code.",
        fix: "Check the path, and whether its disk is mounted. Leave it out if it holds no export.",
        source: "hullmark, README.md, exit codes",
    }
}

//! What the container of an archive has that no loader takes. A copy is a new container, so that all of it is mended.

use crate::mend::Change;
use hullmark_finding::Code;
use hullmark_format::defect::{DefectKind, InputDefect};
use hullmark_ledger::{
    Ledger,
    facts::{IN_CONTAINER, is_archive_name},
};

/// Returns the changes of a new container, with the members that they concern.
pub(crate) fn changes(ledger: &Ledger) -> Vec<(String, Change)> {
    let whole = |change| (String::new(), change);
    let mut changes: Vec<(String, Change)> = Vec::new();
    if ledger.container.compression.as_deref() == Some(IN_CONTAINER) && is_archive_name(&ledger.input) {
        changes.push(whole(Change::new(
            Code::ARC008,
            "",
            "the archive is a zip, and becomes a tar with gzip",
        )));
    }
    if ledger.kind.is_packed_archive() && ledger.container.compression.as_deref() != Some("gzip") {
        changes.push(whole(Change::new(Code::ARC015, "", "the tar is not compressed with gzip")));
    }
    for defect in &ledger.defects {
        let DefectKind::Input(kind) = &defect.kind else { continue };
        let (code, why) = match kind {
            InputDefect::Damaged { .. } => {
                (Code::ARC001, "the compressed stream is damaged; what comes before the damage is kept")
            }
            InputDefect::BrokenTar { .. } => {
                (Code::ARC002, "the tar is broken; what comes before the fault is kept")
            }
            InputDefect::NoEndMarker => (Code::ARC002, "the tar has no end marker"),
            InputDefect::WrongChecksums { .. } => (Code::ARC002, "headers of the tar have wrong checksums"),
            InputDefect::SpecialMember { .. } => {
                (Code::ARC007, "a link or a device is left out: no loader reads one")
            }
            InputDefect::PaxRecords { .. } => (Code::ARC007, "records of pax become records of GNU tar"),
            InputDefect::RecordsReadAsObjects { .. } => {
                (Code::ARC014, "records are left out that OpenSim takes for objects or parcels")
            }
            InputDefect::AddedReadAsContent { .. } => (
                Code::ARC014,
                "files are left out that macOS or Windows added, and that OpenSim takes for content",
            ),
            InputDefect::DottedEntries { .. } => (Code::ARC004, "\"./\" before paths is removed"),
            InputDefect::ControlBelowFolder => (Code::ARC004, "the folder around all members is removed"),
            _ => continue,
        };
        changes.push((defect.place.entry.clone(), Change::new(code, "", why)));
    }
    changes
}

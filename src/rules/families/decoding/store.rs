//! STO: words for defects of stores of assets.

use super::say;
use hullmark_finding::{Code, Finding};
use hullmark_format::defect::{StoreDefect, UnreadFiles};
use hullmark_util::number_text::counted;

/// Returns the code and words of a defect.
pub(super) fn said(kind: &StoreDefect) -> Finding {
    use StoreDefect as D;
    match kind {
        D::FileMissing { hash } => say(Code::STO001, format!("no file {hash}")),
        D::FileDamaged { why } => say(Code::STO002, why.to_string()),
        D::PackedHides { why } => say(Code::STO003, why.to_string()),
        D::Spooled { files } => say(Code::STO004, counted(*files, "file")),
        D::Unread { kind, files, bytes } => {
            let (words, aspect) = match kind {
                UnreadFiles::WithoutRow => ("that no row of the table names", "row"),
                UnreadFiles::Misplaced => ("in a folder that does not belong to their hash", "folder"),
                UnreadFiles::Strange => ("whose names are no hashes", "name"),
            };
            let detail = format!("{} of {} {words}", counted(*files, "file"), counted(*bytes, "byte"));
            say(Code::STO005, detail).aspect(aspect)
        }
        D::WithoutTable => {
            let detail = "no database of this run has the table fsassets, which names the files of the store";
            say(Code::RUN001, detail).aspect("table")
        }
        D::CacheFile { why } => say(Code::STO007, why.to_string()),
    }
}

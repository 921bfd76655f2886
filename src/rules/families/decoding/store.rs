//! STO: words for defects of stores of assets.

use hullmark_finding::Finding;
use hullmark_format::defect::{StoreDefect, UnreadFiles};
use hullmark_util::number_text::counted;

pub(super) fn said(kind: &StoreDefect) -> Finding {
    use StoreDefect as D;
    match kind {
        D::FileMissing { hash } => say!(STO001, "no file {hash}"),
        D::FileDamaged { why } => say!(STO002, "{why}"),
        D::PackedHides { why } => say!(STO003, "{why}"),
        D::Spooled { files } => say!(STO004, "{}", counted(*files, "file")),
        D::Unread { kind, files, bytes } => {
            let (words, aspect) = match kind {
                UnreadFiles::WithoutRow => ("that no row of the table names", "row"),
                UnreadFiles::Misplaced => ("in a folder that does not belong to their hash", "folder"),
                UnreadFiles::Strange => ("whose names are no hashes", "name"),
            };
            let detail = format!("{} of {} {words}", counted(*files, "file"), counted(*bytes, "byte"));
            say!(STO005, "{detail}").aspect(aspect)
        }
        D::WithoutTable => {
            let detail = "no database of this run has the table fsassets, which names the files of the store";
            say!(RUN001, "{detail}").aspect("table")
        }
        D::CacheFile { why } => say!(STO007, "{why}"),
    }
}

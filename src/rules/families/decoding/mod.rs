//! Turns defects into findings: a code and words for each kind.
//!
//! Decoders report errors in the bytes and know no engine. This conversion happens when a ledger is evaluated, so new
//! messages also apply to old ledgers.

/// Creates a finding of this code with these words, which are formatted.
macro_rules! say {
    ($code:ident, $($words:tt)+) => {
        Finding::new(hullmark_finding::Code::$code).detail(format!($($words)+))
    };
}

mod document;
mod input;
mod inventory;
mod mesh;
mod model;
pub(crate) mod object;
mod store;

use hullmark_finding::{Code, Finding};
use hullmark_format::defect::{Defect, DefectKind, ObjectDefect};
use hullmark_ledger::{InputKind, Ledger};
use hullmark_util::json_number::Number;

pub use inventory::examples;
use object::BINARY;

/// Returns the findings for the defects of a ledger, in their order.
pub fn findings(ledger: &Ledger) -> impl Iterator<Item = Finding> {
    each(ledger).map(|(_, finding)| finding)
}

/// Like [`findings`], with the defect of each.
pub fn each(ledger: &Ledger) -> impl Iterator<Item = (&Defect, Finding)> {
    let loose = ledger.kind == InputKind::Folder;
    ledger.defects.iter().filter_map(move |defect| Some((defect, finding(defect, loose)?)))
}

/// Returns the findings for the defects of a single file.
pub fn of_file(defects: &[Defect]) -> impl Iterator<Item = Finding> {
    defects.iter().filter_map(|defect| finding(defect, true))
}

/// Returns the finding for a defect. `None` if the defect does no harm. `loose`: the file is not part of an archive.
fn finding(defect: &Defect, loose: bool) -> Option<Finding> {
    let said = match &defect.kind {
        DefectKind::Mesh(kind) => mesh::said(kind, defect),
        DefectKind::Model(kind) => model::said(kind, defect),
        DefectKind::Document(kind) => document::said(kind, defect, loose)?,
        DefectKind::Object(kind) => object::said(kind, defect),
        DefectKind::Input(kind) => input::said(kind, defect),
        DefectKind::Store(kind) => store::said(kind),
        DefectKind::Inventory(kind) => inventory::said(kind, defect),
    };
    let Defect { place, measured, limit, count, subjects, .. } = defect;
    let found = Finding {
        place: place.clone(),
        measured: measured.map(f64::from),
        limit: limit.map(f64::from),
        count: *count,
        subjects: *subjects,
        ..said
    };
    let ends_load = matches!(defect.kind, DefectKind::Object(ObjectDefect::NoShape { .. }));
    Some(match defect.in_asset {
        true if ends_load => ending_the_load(found),
        true => of_asset(found),
        false => found,
    })
}

/// A prim without a shape ends the load also from an inventory. Assets are stored after terrain and settings.
fn ending_the_load(mut finding: Finding) -> Finding {
    finding.place.asset = None;
    finding.detail += "; terrain and settings are replaced before";
    finding
}

/// In an object of a region, some defects stop the load. In an inventory, they cost only the asset. Other defects
/// affect only the object in both cases.
fn of_asset(mut finding: Finding) -> Finding {
    if ![Code::OBJ001, Code::OBJ002, Code::OBJ007, Code::OBJ014].contains(&finding.code) {
        finding.place.asset = None;
        return finding;
    }
    // OBJ001 becomes a code with several aspects, so the finding needs one.
    if finding.code == Code::OBJ001 && finding.place.within.is_empty() && finding.aspect != BINARY {
        finding.aspect = "unreadable".into();
    }
    Finding { code: Code::AST004, ..finding }
}

fn whole(number: Option<Number>) -> i64 {
    number.unwrap_or_default().0 as i64
}

fn byte(defect: &Defect) -> u64 {
    defect.place.offset.unwrap_or_default()
}

#[cfg(test)]
mod tests;

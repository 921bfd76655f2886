//! INV, RUN: words for defects of inventories in databases.

use super::whole;
use hullmark_finding::{Finding, Severity};
use hullmark_format::defect::{Defect, InventoryDefect};
use hullmark_util::number_text::{counted, thousands};

pub(super) fn said(kind: &InventoryDefect, defect: &Defect) -> Finding {
    use InventoryDefect as D;
    let count = whole(defect.measured) as u64;
    match kind {
        D::NotFound { owner, named } => {
            let why = match named {
                true => "no account of this database has it",
                false => "this database has no accounts, so name owners by their UUIDs",
            };
            say!(RUN009, "inventory of {owner}; {why}").aspect(owner.clone())
        }
        D::FoldersWithoutParent { items, first } => say!(INV001, "{}", folders(count, *items, first)),
        D::FolderLoop { items, first } => say!(INV002, "{}", folders(count, *items, first)),
        D::Roots => say!(INV003, "{}", counted(count, "root folder")),
        D::SystemFoldersMissing { kinds } => say!(INV004, "missing: {}", named(kinds)).aspect("missing"),
        D::SystemFoldersTwice { kinds, refused: true } => {
            say!(INV004, "more than one: {}", named(kinds)).aspect("more than one")
        }
        D::SystemFoldersTwice { kinds, refused: false } => {
            let words = format!("more than one, which viewers accept: {}", named(kinds));
            say!(INV004, "{words}").aspect("more than one, accepted").at_most(Severity::Warning)
        }
        D::ItemsWithoutFolder { first } => say!(INV005, "{}", items(count, "item", first)),
        D::BrokenLinks { first } => say!(INV006, "{}", items(count, "link", first)),
    }
}

fn folders(count: u64, items: u64, first: &[String]) -> String {
    let below = counted(items, "item");
    format!("{} with {below}: {}", counted(count, "folder"), examples(count, first))
}

fn items(count: u64, what: &str, first: &[String]) -> String {
    format!("{}: {}", counted(count, what), examples(count, first))
}

/// Joins the first examples and adds the number of the others.
pub fn examples(count: u64, first: &[String]) -> String {
    let shown = first.join(", ");
    match count.saturating_sub(first.len() as u64) {
        0 => shown,
        more => format!("{shown} and {} more", thousands(more)),
    }
}

fn named(kinds: &[i16]) -> String {
    let names = kinds.iter().map(|&kind| format!("{} ({kind})", folder_kind_name(kind)));
    names.collect::<Vec<_>>().join(", ")
}

/// Returns the name of a type of system folders.
fn folder_kind_name(kind: i16) -> &'static str {
    match kind {
        0 => "textures",
        1 => "sounds",
        5 => "clothing",
        6 => "objects",
        7 => "notecards",
        10 => "scripts",
        13 => "body parts",
        14 => "trash",
        15 => "photo album",
        16 => "lost and found",
        20 => "animations",
        21 => "gestures",
        23 => "favorites",
        46 => "current outfit",
        48 => "outfits",
        50 => "received items",
        56 => "settings",
        57 => "materials",
        _ => "folder",
    }
}

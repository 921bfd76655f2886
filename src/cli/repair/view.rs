//! What `repair` says of a copy.

use super::{super::copies::first_lines, apply::Applied};
use hullmark_finding::Code;
use hullmark_repair::{Repair, Repaired};
use hullmark_rules::catalogue::rule;
use hullmark_util::{
    number_text::{bytes, thousands},
    terminal_text::{clean, counted},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Maximum number of changes in the JSON and in memory. The CSV has all.
const KEPT: usize = 10_000;

/// What was changed, for people and programs.
#[derive(Debug, Serialize)]
pub(super) struct View {
    pub(super) archive: String,
    /// The mended file. Absent if none was written.
    pub(super) out: Option<String>,
    /// The table of all changes. Absent if none was written.
    pub(super) table: Option<String>,
    /// The folder of members that are not in the mended file. Absent if all are.
    pub(super) left_out_folder: Option<String>,
    /// Blockers of the archive, by rule.
    pub(super) blockers_before: BTreeMap<Code, u64>,
    /// Blockers of the mended file, by rule. Absent if none was written.
    pub(super) blockers_after: Option<BTreeMap<Code, u64>>,
    pub(super) members: u64,
    /// Members whose bytes and paths are as they were.
    pub(super) unchanged: u64,
    /// Members that are not in the mended file.
    pub(super) left_out: u64,
    /// Assets that nothing uses, and that are not in it either.
    pub(super) dropped: u64,
    /// What --apply did. Absent without it.
    pub(super) applied: Option<Applied>,
    /// Bytes of the mended file.
    pub(super) bytes: u64,
    pub(super) changes: u64,
    /// The first changes, in the order of the archive.
    pub(super) first_changes: Vec<Repair>,
    /// Whether the archive was read to its end.
    pub(super) complete: bool,
}

/// The first changes, and the number of all.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) count: u64,
    first: Vec<Repair>,
}

impl Changes {
    pub(super) fn add(&mut self, repair: Repair) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(repair);
        }
    }

    pub(super) fn into_view(self, repaired: &Repaired) -> View {
        View {
            archive: String::new(),
            out: None,
            table: None,
            left_out_folder: None,
            blockers_before: BTreeMap::new(),
            blockers_after: None,
            members: repaired.members,
            unchanged: repaired.unchanged,
            left_out: repaired.left_out,
            dropped: repaired.dropped,
            applied: None,
            bytes: repaired.bytes,
            changes: self.count,
            first_changes: self.first,
            complete: false,
        }
    }
}

impl View {
    pub(super) fn text(&self) -> String {
        let view = self;
        let before = view.blockers_before.values().sum::<u64>();
        let mut lines = vec![match (&view.out, &view.blockers_after) {
            (Some(out), Some(after)) => {
                let after = after.values().sum::<u64>();
                format!(
                    "Wrote {} ({}): {} before, {} after.",
                    clean(out),
                    bytes(view.bytes),
                    counted(before, "blocker"),
                    thousands(after)
                )
            }
            _ => format!("The archive has {}. Nothing was written.", counted(before, "blocker")),
        }];
        let changes = counted(view.changes, "change");
        lines.push(format!(
            "{} of {} unchanged; {changes}.",
            thousands(view.unchanged),
            counted(view.members, "member")
        ));
        if view.left_out > 0 {
            let folder =
                view.left_out_folder.as_ref().map_or(String::new(), |folder| format!(" ({})", clean(folder)));
            lines.push(format!("{} left out{folder}.", counted(view.left_out, "member")));
        }
        if view.dropped > 0 {
            lines.push(format!("{} left out that nothing uses.", counted(view.dropped, "asset")));
        }
        if let Some(applied) = &view.applied {
            lines.push(applied.text());
        }
        if let Some(table) = &view.table {
            lines.push(format!("All changes are in {}.", clean(table)));
        }
        if view.changes > 0 {
            lines.push(String::new());
        }
        lines.extend(first_lines(&view.first_changes, view.changes, line));
        if let Some(after) = view.blockers_after.as_ref().filter(|after| !after.is_empty()) {
            lines.push(String::new());
            lines.push("Blockers that repair does not mend:".into());
            lines.extend(
                after
                    .iter()
                    .map(|(code, count)| format!("  {code} {} ×  {}", thousands(*count), rule(*code).title)),
            );
        }
        if !view.complete {
            lines.push(String::new());
            lines.push(
            "The archive was not read to its end. The copy has what was whole. `hullmark audit` says why."
                .into(),
        );
        }
        lines.join("\n") + "\n"
    }
}

/// Says one change.
fn line(Repair { member, change, .. }: &Repair) -> String {
    let field = if change.field.is_empty() { String::new() } else { format!(" {}", clean(&change.field)) };
    let from_to = match (change.old.is_empty(), change.new.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!(" + {}", clean(&change.new)),
        (false, true) => format!(" {} → removed", clean(&change.old)),
        (false, false) => format!(" {} → {}", clean(&change.old), clean(&change.new)),
    };
    format!("  {}{field}: {}\n      {}\n     {from_to}", change.code, change.why, clean(member))
        .trim_end()
        .to_owned()
}

//! The edits of `--apply`: rows of actions.csv that are changes of an archive.

use anyhow::{Context, ensure};
use hullmark_analysis::actions::Kind;
use hullmark_ledger::Ledger;
use hullmark_repair::{ObjectEdit, Repaired};
use hullmark_util::{
    number_text::{parse_ranges, thousands},
    terminal_text::{clean, counted},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
};
use uuid::Uuid;

/// What becomes of a table of actions.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Applied {
    table: String,
    /// Its rows about this archive.
    rows: u64,
    /// Those that need a viewer.
    by_hand: u64,
    /// Links and splits of objects that earlier rows change: the report measured them without these changes.
    waiting: u64,
    /// Objects of the other rows.
    objects: u64,
    /// Objects that were edited. The others are not in the archive, or are so already.
    edited: u64,
}

/// The columns of actions.csv that matter here.
#[derive(Debug, Deserialize)]
struct Row {
    archive: String,
    kind: String,
    #[serde(default)]
    object_uuid: String,
    #[serde(default)]
    link_numbers: String,
    #[serde(default)]
    uuids: String,
}

/// Reads the edits of an archive, by the UUIDs of the root prims.
pub(super) fn edits(
    path: &Path,
    ledger: &Ledger,
) -> anyhow::Result<(HashMap<Uuid, Vec<ObjectEdit>>, Applied)> {
    let unread = || format!("{} is no actions.csv of hullmark audit", path.display());
    let mut edits: HashMap<Uuid, Vec<ObjectEdit>> = HashMap::new();
    let (mut rows, mut by_hand, mut waiting, mut objects) = (0, 0, 0, BTreeSet::new());
    for row in csv::Reader::from_path(path).with_context(unread)?.deserialize() {
        let row: Row = row.with_context(unread)?;
        // The report may have been made in another folder.
        if Path::new(&row.archive).file_name() != Path::new(&ledger.input).file_name() {
            continue;
        }
        rows += 1;
        let uuids = row.uuids.split_whitespace().map(Uuid::try_parse).collect::<Result<Vec<_>, _>>();
        let Some(edit) = edit(&row, uuids.with_context(unread)?) else {
            by_hand += 1;
            continue;
        };
        let is_regrouped = matches!(edit.edit, ObjectEdit::Link { .. } | ObjectEdit::SplitOff { .. });
        if is_regrouped && edit.objects.iter().any(|object| objects.contains(object)) {
            waiting += 1;
            continue;
        }
        for root in &edit.roots {
            edits.entry(*root).or_default().push(edit.edit.clone());
        }
        objects.extend(edit.objects);
    }
    let name = Path::new(&ledger.input).file_name().unwrap_or_default().display().to_string();
    ensure!(rows > 0, "{} has no row about {name}. Name the report of this archive", path.display());
    let table = path.display().to_string();
    Ok((edits, Applied { table, rows, by_hand, waiting, objects: objects.len() as u64, edited: 0 }))
}

/// An edit of one row.
struct Edit {
    edit: ObjectEdit,
    /// Roots of the objects to edit.
    roots: Vec<Uuid>,
    /// Roots of all objects that change.
    objects: Vec<Uuid>,
}

/// Returns the edit of an action. `None` if it is no change of an archive, or names no prims.
fn edit(row: &Row, uuids: Vec<Uuid>) -> Option<Edit> {
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == row.kind)?;
    let (edit, roots, objects) = match kind {
        Kind::RemoveCopy => (ObjectEdit::Remove, uuids.clone(), uuids),
        Kind::Link => {
            let (root, others) = uuids.split_first()?;
            (ObjectEdit::Link { others: others.to_vec() }, vec![*root], uuids.clone())
        }
        Kind::SplitOff => {
            let root = Uuid::try_parse(&row.object_uuid).ok()?;
            (ObjectEdit::SplitOff { prims: uuids }, vec![root], vec![root])
        }
        Kind::ConvexHull | Kind::ShapeNone => {
            let (number, _) = kind.shape_type()?;
            (ObjectEdit::Shape { links: parse_ranges(&row.link_numbers)?, number }, uuids.clone(), uuids)
        }
        Kind::ReplacePhysics | Kind::CoarserLevels => return None,
    };
    Some(Edit { edit, roots, objects })
}

impl Applied {
    pub(super) fn done(self, repaired: &Repaired) -> Self {
        Self { edited: repaired.edited, ..self }
    }

    pub(super) fn text(&self) -> String {
        let objects = counted(self.objects, "object");
        let mut text = format!("{} of {objects} of {} edited", thousands(self.edited), clean(&self.table));
        let rows = counted(self.rows, "row");
        if self.by_hand > 0 {
            text += &format!("; {} of {rows} need a viewer", thousands(self.by_hand));
        }
        if self.waiting > 0 {
            text += &format!("; {} of {rows} wait for a report of the copy", thousands(self.waiting));
        }
        text + "."
    }
}

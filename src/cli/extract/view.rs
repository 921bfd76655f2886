//! What `extract` says of a copy.

use super::super::{Outcome, copies::first_lines};
use hullmark_analysis::asset_uses::{self, Uses};
use hullmark_ledger::{Ledger, facts::Status};
use hullmark_repair::{Chosen, Extract, Written};
use hullmark_rules::well_known_assets::is_well_known;
use hullmark_util::{
    number_text::{bytes, thousands},
    terminal_text::{clean, counted},
};
use serde::Serialize;
use std::path::Path;
use uuid::Uuid;

/// An object without the rights of --permissions.
#[derive(Debug, Serialize)]
struct Forbidden {
    object: Uuid,
    name: String,
    owner: Uuid,
}

/// What was copied, for people and programs.
#[derive(Debug, Serialize)]
pub(super) struct View {
    archive: String,
    /// The new file. Absent if none was written.
    out: Option<String>,
    objects: u64,
    objects_of_archive: u64,
    assets: u64,
    assets_of_archive: u64,
    regions: u64,
    regions_of_archive: u64,
    /// Bytes of the new file.
    bytes: u64,
    #[serde(flatten)]
    lacks: Lacks,
}

/// What copies lack, or may lack.
#[derive(Debug, Serialize)]
pub(super) struct Lacks {
    /// Assets that the objects use and the archive lacks, without those that every grid has.
    missing: Vec<Uuid>,
    /// Objects that were chosen, and that their owner may not take.
    forbidden: Vec<Forbidden>,
    /// Members that were not copied: they are cut, longer than a limit, cannot be changed, or their path leads out of the
    /// archive.
    left_out: Vec<String>,
    /// Members with objects that cannot be read. Nobody knows whether they are wanted.
    unread: Vec<String>,
    /// Whether the archive was read to its end.
    complete: bool,
}

impl Lacks {
    pub(super) fn new(
        ledger: &Ledger,
        chosen: &Chosen<'_>,
        missing: Vec<Uuid>,
        left_out: Vec<String>,
    ) -> Self {
        let roots = chosen.forbidden.iter().filter_map(|object| object.linkset.parts.first());
        let forbidden =
            roots.map(|root| Forbidden { object: root.uuid, name: root.name.clone(), owner: root.owner });
        Self {
            missing,
            forbidden: forbidden.collect(),
            left_out,
            unread: chosen.unread.iter().map(|&name| name.to_owned()).collect(),
            complete: ledger.status == Status::Complete,
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        let has_all = self.complete && self.left_out.is_empty() && self.unread.is_empty();
        if has_all { Outcome::Done } else { Outcome::Incomplete }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let missing = list(
            &self.missing,
            |count| format!("The archive lacks {} that they use:", counted(count, "asset")),
            |asset| format!("  {asset}"),
        );
        let forbidden = list(
            &self.forbidden,
            |count| format!("Left out, because their owner may not take them: {}", counted(count, "object")),
            |object| format!("  {} ({}) of {}", clean(&object.name), object.object, object.owner),
        );
        let left_out = list(
            &self.left_out,
            |count| {
                format!("Not copied, because they are cut, too long or outside: {}", counted(count, "member"))
            },
            |name| format!("  {}", clean(name)),
        );
        let unread = list(
            &self.unread,
            |count| {
                let members = counted(count, "member");
                format!(
                    "Not copied, because their objects cannot be read; `hullmark repair` may mend them: {members}"
                )
            },
            |name| format!("  {}", clean(name)),
        );
        let mut lines = [missing, forbidden, left_out, unread].concat();
        lines.extend((!self.complete).then(|| INCOMPLETE.to_owned()));
        lines
    }
}

impl View {
    pub(super) fn new(
        ledger: &Ledger,
        chosen: &Chosen<'_>,
        extract: &Extract<'_>,
        written: Option<Written>,
        out: &Path,
    ) -> Self {
        let is_written = written.is_some();
        let Written { assets, bytes, left_out, .. } = written.unwrap_or_default();
        Self {
            archive: ledger.input.clone(),
            out: is_written.then(|| out.display().to_string()),
            objects: extract.objects.len() as u64,
            objects_of_archive: rezzed(ledger),
            assets: if is_written { assets } else { extract.assets() },
            assets_of_archive: ledger.assets.len() as u64,
            regions: extract.regions.len() as u64,
            regions_of_archive: ledger.regions.len() as u64,
            bytes,
            lacks: Lacks::new(ledger, chosen, lost(&asset_uses::collect(ledger), &extract.missing), left_out),
        }
    }

    pub(super) fn outcome(&self) -> Outcome {
        self.lacks.outcome()
    }

    pub(super) fn text(&self) -> String {
        let of = |count: u64, all: u64, what: &str| format!("{} of {}", thousands(count), counted(all, what));
        let objects = of(self.objects, self.objects_of_archive, "object");
        let assets = of(self.assets, self.assets_of_archive, "asset");
        let mut lines = vec![match &self.out {
            Some(out) => format!("Wrote {objects} and {assets} to {} ({}).", clean(out), bytes(self.bytes)),
            None => format!("Would copy {objects} and {assets}. Nothing was written."),
        }];
        if self.regions_of_archive > 1 && self.regions > 0 {
            lines.push(format!("Land: {}.", of(self.regions, self.regions_of_archive, "region")));
        }
        lines.extend(self.lacks.lines());
        lines.join("\n") + "\n"
    }
}

const INCOMPLETE: &str =
    "The archive was not read to its end, so it may have more. `hullmark audit` says why.";

/// Returns the number of objects in the regions of an archive.
pub(super) fn rezzed(ledger: &Ledger) -> u64 {
    ledger.objects.iter().filter(|object| object.region.is_some()).count() as u64
}

/// Returns those of missing assets that objects use, and not every grid has.
pub(super) fn lost<'m>(used: &Uses<'_>, missing: impl IntoIterator<Item = &'m Uuid>) -> Vec<Uuid> {
    missing.into_iter().copied().filter(|asset| used.contains_key(asset) && !is_well_known(*asset)).collect()
}

/// Returns a list with its head. Nothing without items.
fn list<T>(all: &[T], head: impl Fn(u64) -> String, line: impl Fn(&T) -> String) -> Vec<String> {
    let count = all.len() as u64;
    let lines = (count > 0).then(|| head(count)).into_iter().chain(first_lines(all, count, line));
    lines.collect()
}

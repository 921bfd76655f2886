//! STO006: assets of stores that nothing in the run uses.
//!
//! Uses may be in inputs before and after a store, so they are compared after the last input. The assets of stores wait
//! in an unnamed file, and the UUIDs in use in a [`First`].

use super::{Compared, First};
use crate::{RuleOutcomes, SkipReason, well_known_assets::is_well_known};
use hullmark_analysis::asset_uses::kind_of_suffix;
use hullmark_finding::{Code, Finding};
use hullmark_ledger::{
    InputKind,
    facts::{Content, Role, Status},
};
use hullmark_util::number_text::counted;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, BufReader, BufWriter, Cursor, Read, Seek, Write},
    path::Path,
};
use uuid::Uuid;

/// Bytes of a waiting asset: its UUID, its size, and the number of its kind.
const RECORD: usize = 16 + 8 + 1;

#[derive(Debug)]
pub(super) struct StoreUses {
    used: First<1>,
    assets: Waiting,
    kinds: Vec<&'static str>,
    count: usize,
    /// Inputs with rezzed objects, and inventory items.
    regions: usize,
    items: usize,
    /// Whether a database has inventories that were not evaluated (`--inventory`).
    leaves_inventories: bool,
    /// Whether every input was read to its end.
    is_whole: bool,
}

#[derive(Debug)]
enum Waiting {
    File(BufWriter<File>),
    Memory(Vec<u8>),
}

impl StoreUses {
    /// Creates an empty state with this many bytes of memory, and a folder for the rest.
    pub(super) fn within(bytes: usize, folder: &Path) -> io::Result<Self> {
        let assets = Waiting::File(BufWriter::new(tempfile::tempfile_in(folder)?));
        Ok(Self { used: First::within(bytes, folder), assets, ..Self::in_memory() })
    }

    pub(super) fn in_memory() -> Self {
        Self {
            used: First::default(),
            assets: Waiting::Memory(Vec::new()),
            kinds: Vec::new(),
            count: 0,
            regions: 0,
            items: 0,
            leaves_inventories: false,
            is_whole: true,
        }
    }

    pub(super) fn add(&mut self, input: &Compared<'_>) -> io::Result<()> {
        let ledger = input.ledger;
        self.is_whole &= ledger.status == Status::Complete;
        self.regions += usize::from(ledger.objects.iter().any(|object| object.role == Role::Rezzed));
        self.items += ledger.items.len();
        self.leaves_inventories |= ledger.container.inventory_owners > ledger.inventories.len() as u64;
        let texts = ledger.assets.iter().filter_map(|asset| match &asset.content {
            Content::Text(text) => Some(&text.mentions),
            _ => None,
        });
        for uuid in input.uses.keys().chain(texts.flatten()) {
            self.used.meet(uuid.into_bytes(), [0])?;
        }
        if ledger.kind != InputKind::Fsassets {
            return Ok(());
        }
        for asset in &ledger.assets {
            let Some(uuid) = asset.uuid().filter(|uuid| !is_well_known(*uuid)) else { continue };
            let kind = asset.suffix().map_or("asset", kind_of_suffix);
            self.wait(uuid, asset.bytes, kind)?;
        }
        Ok(())
    }

    fn wait(&mut self, uuid: Uuid, bytes: u64, kind: &'static str) -> io::Result<()> {
        let number = self.kinds.iter().position(|known| *known == kind).unwrap_or_else(|| {
            self.kinds.push(kind);
            self.kinds.len() - 1
        });
        let mut record = [0; RECORD];
        record[..16].copy_from_slice(uuid.as_bytes());
        record[16..24].copy_from_slice(&bytes.to_le_bytes());
        // There are about 14 kinds.
        record[24] = number as u8;
        self.count += 1;
        match &mut self.assets {
            Waiting::File(file) => file.write_all(&record),
            Waiting::Memory(list) => list.write_all(&record),
        }
    }

    /// Compares the assets with the uses, after the last input. `is_covered`: no input was left to another run.
    /// Returns the outcome and the number of assets.
    pub(super) fn finish(mut self, is_covered: bool) -> io::Result<(RuleOutcomes, u64)> {
        let mut outcomes = RuleOutcomes::default();
        let skip = match () {
            () if !is_covered => Some(SkipReason::PartialRun),
            () if !self.is_whole => Some(SkipReason::Incomplete),
            () if self.regions == 0 || self.items == 0 || self.leaves_inventories => {
                Some(SkipReason::UsesUnread)
            }
            () => None,
        };
        let count = self.count as u64;
        if let Some(reason) = skip {
            outcomes.not_evaluated(Code::STO006, reason, self.count);
            return Ok((outcomes, count));
        }
        let unseen = self.unseen()?;
        if !unseen.is_empty() {
            let (assets, bytes) =
                unseen.values().fold((0, 0_u64), |sum, kind| (sum.0 + kind.0, sum.1.saturating_add(kind.1)));
            let kinds = unseen.iter().map(|(kind, (count, bytes))| {
                format!("{} of {}", counted(*count, kind), counted(*bytes, "byte"))
            });
            let detail = format!(
                "{} of {} in {} and {}: {}",
                counted(assets, "asset"),
                counted(bytes, "byte"),
                counted(self.regions as u64, "input with regions"),
                counted(self.items as u64, "inventory item"),
                kinds.collect::<Vec<_>>().join(", ")
            );
            outcomes.push(Finding::new(Code::STO006).measured(bytes as f64).detail(detail));
        }
        Ok((outcomes, count))
    }

    /// Returns the number and bytes of the assets without a use, by kind.
    fn unseen(&mut self) -> io::Result<BTreeMap<&'static str, (u64, u64)>> {
        let assets = std::mem::replace(&mut self.assets, Waiting::Memory(Vec::new()));
        let mut assets: Box<dyn Read> = match assets {
            Waiting::Memory(list) => Box::new(Cursor::new(list)),
            Waiting::File(file) => {
                let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                file.rewind()?;
                Box::new(BufReader::new(file))
            }
        };
        let mut unseen: BTreeMap<&'static str, (u64, u64)> = BTreeMap::new();
        for _ in 0..self.count {
            let mut record = [0; RECORD];
            assets.read_exact(&mut record)?;
            let (mut uuid, mut bytes) = ([0; 16], [0; 8]);
            uuid.copy_from_slice(&record[..16]);
            bytes.copy_from_slice(&record[16..24]);
            // Two stores may have the same asset, which counts once.
            if self.used.meet(uuid, [0])?.is_none() {
                let kind = self.kinds.get(usize::from(record[24])).copied().unwrap_or("asset");
                let sum = unseen.entry(kind).or_default();
                *sum = (sum.0 + 1, sum.1.saturating_add(u64::from_le_bytes(bytes)));
            }
        }
        Ok(unseen)
    }
}

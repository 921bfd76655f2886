//! A lane: reads the members of one input in order, and hands them to the workers.

use super::{
    Watch,
    assets::{self, PassingAsset},
    byte_gate::{Gate, Ticket},
    decoding::{Decoding, Member},
    only::Selected,
    sculpts::Textures,
    workers::spawn,
};
use hullmark_format::{member, terrain::HeightReader};
use hullmark_ledger::facts::TerrainFacts;
use hullmark_settings::database_selection::DatabaseSelection;
use hullmark_source::{
    Deadline, Item, Kind, Visitor, Wants,
    content::{Decoded, Learnt},
    store_table::StoreTable,
};
use hullmark_util::{
    lock::lock,
    timings::{self, Stage},
};
use rayon::Scope;
use std::{collections::BTreeSet, sync::Arc};
use uuid::Uuid;

/// Bytes of members that are sent to a worker together. To wake a worker takes longer than to decode a small member.
const BATCH: usize = 32 * 1024;

/// One input while a lane reads it.
pub(super) struct Lane<'lane, 'scope> {
    pub(super) scope: &'lane Scope<'scope>,
    pub(super) decoding: &'scope Decoding<'scope>,
    pub(super) gate: &'scope Gate,
    pub(super) ticket: Option<Ticket<'scope>>,
    /// Members that wait to be sent.
    pub(super) batch: Vec<Member<'scope>>,
    /// Bytes of the batch.
    pub(super) batched: usize,
    pub(super) number: u64,
    /// Number of meshes and scenes so far.
    pub(super) meshes: u64,
    pub(super) small: bool,
    /// Whether other inputs wait for a lane.
    pub(super) others: &'lane dyn Fn() -> bool,
    /// In a store: the assets to decode.
    pub(super) bodies: Option<&'lane BTreeSet<Uuid>>,
    pub(super) table: Option<&'lane Arc<StoreTable>>,
    /// The objects to read. `None` reads everything.
    pub(super) selected: Option<Selected<'lane>>,
    pub(super) selection: DatabaseSelection<'lane>,
    pub(super) watch: &'lane dyn Watch,
    /// The asset that passes now.
    pub(super) passing: PassingAsset,
    /// The terrain that passes now.
    pub(super) heights: Option<HeightReader>,
    pub(super) textures: &'lane mut Textures,
}

impl<'scope> Lane<'_, 'scope> {
    /// Sends the batch to the workers.
    pub(super) fn send(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.batched = 0;
        let decoding = self.decoding;
        self.work(move || batch.into_iter().for_each(|member| decoding.learn(&member)));
    }

    /// Hands work to the workers. If the input is small or other inputs wait, the lane does it. Each thread then has a
    /// lane of its own, and to wake a worker takes longer than to decode a small batch.
    fn work(&self, work: impl FnOnce() + Send + 'scope) {
        match self.small || (self.others)() {
            true => timings::within(Stage::Other, work),
            false => spawn(self.scope, || timings::within(Stage::Other, work)),
        }
    }

    /// Takes a texture, and decodes it if it is known to be a sculpt map.
    fn texture(&mut self, item: Item) {
        let decoding = self.decoding;
        let (asset, _) = assets::of_item(&item, None);
        // Kept textures have a limit of their own, and no ticket.
        let ticket = self.ticket.take();
        if let Some(map) = self.textures.take(item, &asset, decoding.limits) {
            self.work(move || {
                decoding.maps.decode(map);
                drop(ticket);
            });
        }
        lock(&decoding.learnt).add(self.number, None, Some(asset));
    }

    /// Leaves out an object that is not selected. Its asset exists nevertheless.
    fn leave(&mut self, item: &Item) {
        self.ticket = None;
        let asset = item.kind.is_asset().then(|| assets::of_item(item, None).0);
        lock(&self.decoding.learnt).add(self.number, None, asset);
    }

    /// Whether to decode this member. In a store, only texts, which name further assets, and needed meshes and textures
    /// are decoded.
    fn decodes(&mut self, name: &str, kind: Kind, bytes: u64) -> bool {
        if let Some(selected) = &mut self.selected {
            return selected.decodes(self.number, name, kind, bytes);
        }
        let Some(bodies) = self.bodies else { return true };
        let needed = || member::uuid_in(name).is_some_and(|uuid| bodies.contains(&uuid));
        kind == Kind::Text || matches!(kind, Kind::Mesh | Kind::Texture) && needed()
    }
}

impl Visitor for Lane<'_, '_> {
    fn wants(&mut self, name: &str, kind: Kind, bytes: u64) -> Wants {
        self.number += 1;
        self.passing = PassingAsset::new(name);
        self.heights = (kind == Kind::Terrain).then(|| HeightReader::new(name, bytes));
        if self.selected.is_some() && kind == Kind::Object {
            let region = Decoded::region(member::classify(name).region);
            lock(&self.decoding.learnt).add(self.number, Some(region), None);
        }
        match kind {
            _ if !self.decodes(name, kind, bytes) => match kind.is_asset() {
                true => Wants::Pieces,
                false => Wants::Nothing,
            },
            Kind::Texture if self.textures.wants(name, bytes) => Wants::Whole,
            Kind::Text if bytes > self.decoding.limits.text_bytes => Wants::Pieces,
            Kind::Texture | Kind::Asset | Kind::Terrain => Wants::Pieces,
            Kind::Other => Wants::Nothing,
            _ => Wants::Whole,
        }
    }

    fn enough(&self) -> bool {
        self.selected.as_ref().is_some_and(Selected::is_complete)
    }

    fn store_table(&self) -> Option<Arc<StoreTable>> {
        self.table.map(Arc::clone)
    }

    fn needs_existence_only(&mut self, name: &str, kind: Kind) -> bool {
        self.bodies.is_some() && !self.decodes(name, kind, 0)
    }

    fn deadline(&self) -> Deadline {
        self.decoding.deadline.clone()
    }

    fn selection(&self) -> DatabaseSelection<'_> {
        self.selection
    }

    fn make_room(&mut self, bytes: u64) {
        // Drop the old ticket and those of the batch first: a lane that waits while it holds a ticket could block
        // itself.
        self.ticket = None;
        self.ticket = self.gate.try_enter(bytes);
        if self.ticket.is_none() {
            self.send();
            self.ticket = Some(self.gate.enter(bytes));
        }
    }

    fn item(&mut self, item: Item) {
        timings::pass(Stage::Tar, item.bytes.len());
        if item.kind == Kind::Texture {
            return self.texture(item);
        }
        if matches!(item.kind, Kind::Object | Kind::NestedObject) {
            if self.selected.as_mut().is_some_and(|selected| !selected.takes(&item)) {
                return self.leave(&item);
            }
            self.textures.note_object(&item.bytes);
        }
        self.batched += item.bytes.len();
        let mesh = matches!(item.kind, Kind::Mesh | Kind::Scene).then(|| {
            self.meshes += 1;
            self.meshes - 1
        });
        self.batch.push(Member { number: self.number, mesh, item, _ticket: self.ticket.take() });
        if self.batched >= BATCH {
            self.send();
        }
    }

    fn decoded(&mut self, content: Decoded) {
        self.number += 1;
        lock(&self.decoding.learnt).add(self.number, Some(content), None);
    }

    fn piece(&mut self, bytes: &[u8]) {
        timings::pass(Stage::Tar, bytes.len());
        self.passing.take(bytes);
        if let Some(heights) = &mut self.heights {
            heights.take(bytes);
        }
    }

    fn passed(&mut self, name: &str, kind: Kind, bytes: u64) {
        let whole = self.passing.is_whole(bytes);
        if let Some(heights) = self.heights.take() {
            let broken_image = whole && heights.is_broken_image(name);
            let grid = heights.grid().filter(|_| whole);
            let heights = whole.then(|| heights.heights());
            let terrain = TerrainFacts { entry: name.into(), bytes, heights, broken_image, grid };
            let decoded = Decoded { learnt: Learnt::Terrain(terrain), ..Decoded::default() };
            lock(&self.decoding.learnt).add(self.number, Some(decoded), None);
        }
        // A texture that could not be read completely would fail again in the second pass.
        if kind == Kind::Texture && whole {
            self.textures.pass(name);
        }
        if kind.is_asset() {
            let asset = self.passing.facts(name, kind, bytes);
            lock(&self.decoding.learnt).add(self.number, None, Some(asset));
        }
    }

    fn progress(&self, bytes: u64) {
        self.watch.bytes(bytes);
    }
}

//! A lane: reads the members of one input in order, and hands them to the workers.

use super::{
    Scan,
    assets::{self, PassingAsset},
    byte_gate::Ticket,
    decoding::{Decoding, Member},
    object_selection::{MissedMeshes, SelectionProgress},
    textures::Textures,
    workers::spawn,
};
use hullmark_format::{member, terrain::HeightReader};
use hullmark_ledger::facts::{AssetFacts, TerrainFacts};
use hullmark_source::{
    self as source, Input, Item, Kind, Visitor, Wants,
    content::{Decoded, MemberContent},
};
use hullmark_util::{
    lock::lock,
    timings::{self, Stage},
};
use rayon::Scope;
use std::collections::{BTreeSet, HashSet};

/// Bytes of members that are sent to a worker together. To wake a worker takes longer than to decode a small member.
const BATCH: usize = 32 * 1024;

/// Most regions whose unread terrain is noted. An archive may have a million folders.
const MOST_UNREAD_TERRAINS: usize = 1000;

/// One input while a lane reads it.
pub(super) struct Lane<'lane, 'scope> {
    scope: &'lane Scope<'scope>,
    decoding: &'scope Decoding<'scope>,
    scan: &'scope Scan<'scope>,
    ticket: Option<Ticket<'scope>>,
    /// Members that wait to be sent.
    batch: Vec<Member<'scope>>,
    batched: usize,
    number: u64,
    /// Number of meshes and scenes so far.
    meshes: u64,
    /// The objects to read. `None` reads everything.
    selected: Option<SelectionProgress<'scope>>,
    /// The asset that passes now.
    passing: PassingAsset,
    /// The terrain that passes now.
    heights: Option<HeightReader>,
    textures: Textures,
    /// Regions with terrain that no loader reads.
    unread_terrains: HashSet<String>,
}

impl<'lane, 'scope> Lane<'lane, 'scope> {
    pub(super) fn new(
        scope: &'lane Scope<'scope>,
        decoding: &'scope Decoding<'scope>,
        scan: &'scope Scan<'scope>,
        textures: Textures,
    ) -> Self {
        Self {
            scope,
            decoding,
            scan,
            ticket: None,
            batch: Vec::new(),
            batched: 0,
            number: 0,
            meshes: 0,
            selected: scan
                .options
                .objects
                .map(|objects| SelectionProgress::new(objects, decoding.request.limits)),
            passing: PassingAsset::new(""),
            heights: None,
            textures,
            unread_terrains: HashSet::new(),
        }
    }

    /// Sends the last members, and reads the meshes again that passed before an object named them.
    pub(super) fn finish(mut self, input: &Input) -> Textures {
        self.send();
        let wanted = self.selected.as_ref().map_or_else(BTreeSet::new, SelectionProgress::missed);
        if !wanted.is_empty() {
            let Self { scope, decoding, scan, meshes, .. } = self;
            let (gate, ticket) = (&scan.gate, self.ticket.take());
            let mut missed = MissedMeshes { scope, decoding, gate, ticket, wanted, number: 0, meshes };
            source::reread(input, decoding.request, &mut missed);
        }
        self.textures
    }

    fn send(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        self.batched = 0;
        let decoding = self.decoding;
        self.work(move || batch.into_iter().for_each(|member| decoding.decode(&member)));
    }

    /// Hands work to the workers. If the input is small or other inputs wait, the lane does it. Each thread then has a
    /// lane of its own, and to wake a worker takes longer than to decode a small batch.
    fn work(&self, work: impl FnOnce() + Send + 'scope) {
        match self.decoding.is_small || self.scan.budget.is_left() {
            true => timings::within(Stage::Other, work),
            false => spawn(self.scope, || timings::within(Stage::Other, work)),
        }
    }

    /// Adds results of the current member.
    fn add(&self, decoded: Option<Decoded>, asset: Option<AssetFacts>) {
        lock(&self.decoding.results).add(self.number, decoded, asset);
    }

    /// Takes a texture, and decodes it if it is known to be a sculpt map.
    fn texture(&mut self, item: Item) {
        let decoding = self.decoding;
        let (asset, _) = assets::of_item(&item, None);
        // Kept textures have a limit of their own, and no ticket.
        let ticket = self.ticket.take();
        if let Some(map) = self.textures.take(item, &asset, decoding.request.limits) {
            self.work(move || {
                decoding.maps.decode(map);
                drop(ticket);
            });
        }
        self.add(None, Some(asset));
    }

    /// Leaves out an object that is not selected. Its asset exists nevertheless.
    fn leave(&mut self, item: &Item) {
        self.ticket = None;
        let asset = item.kind.is_asset().then(|| assets::of_item(item, None).0);
        self.add(None, asset);
    }

    /// Notes terrain that no loader reads: the first of each region.
    fn note_unread_terrain(&mut self, name: &str) {
        let region = member::classify(name).region;
        if self.unread_terrains.len() < MOST_UNREAD_TERRAINS && self.unread_terrains.insert(region.to_owned())
        {
            let content = MemberContent::UnreadTerrain(name.to_owned());
            self.add(Some(Decoded { folder: region.into(), content, ..Decoded::default() }), None);
        }
    }

    fn decodes(&mut self, name: &str, kind: Kind, bytes: u64) -> bool {
        match &mut self.selected {
            Some(selected) => selected.decodes(self.number, name, kind, bytes),
            None => self.decoding.request.needs_content(name, kind),
        }
    }
}

impl Visitor for Lane<'_, '_> {
    fn wants(&mut self, name: &str, kind: Kind, bytes: u64) -> Wants {
        self.number += 1;
        self.passing = PassingAsset::new(name);
        self.heights = (kind == Kind::Terrain).then(|| HeightReader::new(name, bytes));
        if kind == Kind::Other && member::is_terrain(name) {
            self.note_unread_terrain(name);
        }
        if self.selected.is_some() && kind == Kind::Object {
            let region = Decoded::region(member::classify(name).region);
            self.add(Some(region), None);
        }
        match kind {
            _ if !self.decodes(name, kind, bytes) => match kind.is_asset() {
                true => Wants::Pieces,
                false => Wants::Nothing,
            },
            Kind::Texture if self.textures.wants(name, bytes) => Wants::Whole,
            Kind::Text if bytes > self.decoding.request.limits.text_bytes => Wants::Pieces,
            Kind::Texture | Kind::Asset | Kind::Terrain => Wants::Pieces,
            Kind::Other => Wants::Nothing,
            _ => Wants::Whole,
        }
    }

    fn enough(&self) -> bool {
        self.selected.as_ref().is_some_and(SelectionProgress::is_complete)
    }

    fn make_room(&mut self, bytes: u64) {
        let gate = &self.scan.gate;
        self.ticket = None;
        self.ticket = gate.try_enter(bytes);
        if self.ticket.is_none() {
            // The batch holds tickets, too.
            self.send();
            gate.replace(&mut self.ticket, bytes);
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
        let mesh = matches!(item.kind, Kind::Mesh | Kind::Scene | Kind::Model).then(|| {
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
        self.add(Some(content), None);
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
            let decoded = Decoded { content: MemberContent::Terrain(terrain), ..Decoded::default() };
            self.add(Some(decoded), None);
        }
        // A texture that could not be read completely would fail again in the second pass.
        if kind == Kind::Texture && whole {
            self.textures.pass(name);
        }
        if kind.is_asset() {
            let asset = self.passing.facts(name, kind, bytes);
            self.add(None, Some(asset));
        }
    }

    fn progress(&self, bytes: u64) {
        self.scan.watch.bytes(bytes);
    }
}

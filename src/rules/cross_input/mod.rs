//! XAR, MSH013, STO006: findings that need several inputs.
//!
//! A report streams: each input is evaluated in its turn, with the inputs before it. So a finding about two inputs
//! belongs to the later one and names the first, and no input is evaluated twice. Inputs are in the order of their
//! names. This order depends neither on arguments nor on shards.

mod bloom_filter;
mod equal_objects;
mod first_seen;
mod known;
mod listed_regions;
mod store_uses;

use super::{RuleOutcomes, SkipReason};
use crate::{RuleContext, families::object::rezzed, most_of, well_known_assets::is_well_known};
use equal_objects::EqualObjects;
use first_seen::First;
use hullmark_analysis::{
    Measured,
    asset_uses::{self, Uses},
};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, MeshFacts, ObjectFacts, Status},
    object_content,
};
use hullmark_settings::simulator::regions::RegionFile;
use hullmark_util::{dates_in_names::undated, number_text::counted};
pub use known::{KnownOutcomes, OutcomesOfInput, OutcomesOfRun};
use listed_regions::ListedRegions;
use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    io,
    mem::take,
    path::{Path, PathBuf},
};
use store_uses::StoreUses;
use uuid::Uuid;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

const NAMED: usize = 4;

type Input = u32;

/// What the rules compare of an input.
pub struct Compared<'a> {
    ledger: &'a Ledger,
    /// The key of the content of each object.
    contents: Vec<u64>,
    /// The assets in use.
    uses: Cow<'a, Uses<'a>>,
}

impl<'a> Compared<'a> {
    /// Takes it from a ledger. No cost is computed.
    pub fn of_ledger(ledger: &'a Ledger) -> Self {
        let contents = ledger.objects.iter().map(object_content::of_object).collect();
        Self { ledger, contents, uses: Cow::Owned(asset_uses::collect(ledger)) }
    }

    /// The name of the input.
    pub fn name(&self) -> &'a str {
        &self.ledger.input
    }

    /// Returns the assets that the input uses and may lack: those that it does not contain, that have a defect, or that
    /// it contains twice.
    pub fn may_lack(&self) -> Vec<Uuid> {
        let at_fault: HashSet<&str> =
            self.ledger.defects.iter().map(|defect| defect.place.entry.as_str()).collect();
        let mut sound: HashMap<Uuid, bool> = HashMap::new();
        for asset in &self.ledger.assets {
            let Some(uuid) = asset.uuid() else { continue };
            let is_sound = at_fault.is_empty() || !at_fault.contains(&*asset.entry.to_string());
            sound.entry(uuid).and_modify(|sound| *sound = false).or_insert(is_sound);
        }
        self.uses.keys().copied().filter(|asset| sound.get(asset) != Some(&true)).collect()
    }

    fn of_measured(measured: &'a Measured<'a>) -> Self {
        let contents = measured.objects.iter().map(|measures| measures.content).collect();
        Self { ledger: measured.ledger, contents, uses: Cow::Borrowed(&measured.uses) }
    }
}

/// UUIDs and content hashes of the inputs so far.
#[derive(Debug, Default)]
pub struct CrossInput {
    /// The names of the inputs, by number.
    inputs: Vec<String>,
    /// The keys that copies share, by number.
    series: Vec<String>,
    /// The kinds of the inputs, by number.
    kinds: Vec<&'static str>,
    /// The first input of each region, by UUID and name.
    regions: First<4>,
    roots: First<4>,
    equal: EqualObjects,
    /// The first input of each asset, and the hash of its content.
    assets: First<20>,
    contents: First<20>,
    /// The assets of stores, and the UUIDs in use. `None` if no input is a store.
    store_uses: Option<StoreUses>,
    /// The regions of a list. `None` without a list.
    listed: Option<ListedRegions>,
    /// The bytes and the folder of each table. `None` without a limit.
    bound: Option<(usize, PathBuf)>,
    /// The outcomes, if an earlier step compared the inputs. Then this one compares nothing.
    known: Option<KnownOutcomes>,
}

impl CrossInput {
    /// Creates an empty state with this many bytes of memory for UUIDs and hashes. The others go to unnamed files in
    /// this folder. [`CrossInput::default`] has no limit and needs no folder.
    pub fn within(bytes: usize, folder: &Path) -> Self {
        // Each quarter is fixed, because any table may be the largest: a grid of prims has few assets, a library of
        // meshes few objects.
        let each = bytes / 4;
        Self {
            roots: First::within(each, folder),
            equal: EqualObjects::within(each, folder),
            assets: First::within(each, folder),
            contents: First::within(each, folder),
            // There are few regions.
            regions: First::within(each / 64, folder),
            bound: Some((each, folder.to_owned())),
            ..Self::default()
        }
    }

    /// Takes the outcomes of an earlier step, which compared the inputs.
    pub fn known(outcomes: KnownOutcomes) -> Self {
        Self { known: Some(outcomes), ..Self::default() }
    }

    /// Prepares to compare stores with the uses of all inputs.
    ///
    /// # Errors
    /// The disk has no room for a file.
    pub fn expect_stores(&mut self) -> io::Result<()> {
        self.store_uses = Some(match &self.bound {
            Some((bytes, folder)) => StoreUses::within(*bytes, folder)?,
            None => StoreUses::in_memory(),
        });
        Ok(())
    }

    /// Prepares to compare the files of regions with the regions of all databases.
    pub fn expect_regions(&mut self, files: &[RegionFile]) {
        self.listed = (!files.is_empty()).then(|| ListedRegions::new(files));
    }

    /// Evaluates the files of regions, after the last input. Returns the outcome, and the number of regions in them.
    pub fn finish_regions(&mut self, is_covered: bool) -> (RuleOutcomes, u64) {
        match &mut self.known {
            Some(known) => take(&mut known.of_regions).into(),
            None => self.listed.take().map_or_else(Default::default, |listed| listed.finish(is_covered)),
        }
    }

    /// Evaluates the stores, after the last input. `is_covered`: no input was left to another run. Returns the outcome,
    /// and the number of assets in stores.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn finish(&mut self, is_covered: bool) -> io::Result<(RuleOutcomes, u64)> {
        match &mut self.known {
            Some(known) => Ok(take(&mut known.of_stores).into()),
            None => {
                self.store_uses.take().map_or_else(|| Ok(Default::default()), |uses| uses.finish(is_covered))
            }
        }
    }

    /// Returns the first input that was read to its end and has an asset, after the last input.
    ///
    /// # Errors
    /// The disk cannot be read.
    pub fn input_with(&mut self, asset: Uuid) -> io::Result<Option<&str>> {
        if let Some(known) = &self.known {
            return Ok(known.elsewhere.get(&asset).map(String::as_str));
        }
        let first = self.assets.find(asset.as_bytes())?;
        Ok(first.map(|first| self.inputs[unpacked(first).0 as usize].as_str()))
    }

    /// Evaluates the next input with those before it. Inputs come in the order of the report.
    ///
    /// # Errors
    /// The disk cannot store the keys beyond the memory limit.
    pub fn evaluate(
        &mut self,
        measured: &Measured<'_>,
        context: &RuleContext<'_>,
        outcomes: &mut RuleOutcomes,
    ) -> io::Result<()> {
        match &mut self.known {
            Some(known) => {
                known.take(&measured.ledger.input, outcomes);
                Ok(())
            }
            None => self.compare(&Compared::of_measured(measured), context, outcomes),
        }
    }

    /// Compares the next input with those before it.
    ///
    /// # Errors
    /// The disk cannot store the keys beyond the memory limit.
    pub fn compare(
        &mut self,
        input: &Compared<'_>,
        context: &RuleContext<'_>,
        outcomes: &mut RuleOutcomes,
    ) -> io::Result<()> {
        let here = self.inputs.len() as Input;
        let ledger = input.ledger;
        self.inputs.push(ledger.input.clone());
        self.series.push(context.past.map_or_else(|| undated(&ledger.input), |past| past.series.clone()));
        if let Some(uses) = &mut self.store_uses {
            uses.add(input)?;
        }
        if let Some(listed) = &mut self.listed {
            listed.add(ledger);
        }
        self.kinds.push(ledger.kind.packed_name());
        let shared = self.xar001_objects_elsewhere(ledger, here)?;
        let equal = self.xar005_equal_objects(input, here, &shared)?;
        outcomes.extend(self.xar004_regions_elsewhere(ledger, here, &shared)?);
        outcomes.extend(shared);
        outcomes.extend(equal);
        if ledger.status == Status::Complete {
            for mesh in &ledger.meshes {
                outcomes.extend(self.evaluate_mesh(mesh, here)?);
            }
            for asset in &ledger.assets {
                outcomes.extend(self.xar002_changed(asset, here)?);
            }
        } else {
            // In a truncated input, an asset may be truncated too. It is no other asset then.
            for code in [Code::MSH013, Code::XAR002, Code::XAR003] {
                outcomes.not_evaluated(code, SkipReason::Incomplete, ledger.assets.len());
            }
        }
        Ok(())
    }

    /// One finding for each input that shares objects: a copied region shares all of them. Objects in inventories get a new
    /// UUID on each rez, so only objects in regions count. The zero UUID is ignored, and so are dated copies of one export.
    fn xar001_objects_elsewhere(&mut self, ledger: &Ledger, here: Input) -> io::Result<Vec<Finding>> {
        let mut shared: BTreeMap<Input, Vec<&ObjectFacts>> = BTreeMap::new();
        for (object, root) in rezzed(ledger).filter(|(_, root)| !root.uuid.is_nil()) {
            let first = self.roots.meet(root.uuid.into_bytes(), here.to_le_bytes())?;
            let first = first.map_or(here, Input::from_le_bytes);
            if self.series[first as usize] != self.series[here as usize] {
                shared.entry(first).or_default().push(object);
            }
        }
        let finding = |(first, objects): (Input, Vec<&ObjectFacts>)| {
            let finding = Finding::new(Code::XAR001).within(self.place(first, here));
            let count = counted(objects.len() as u64, "object");
            let detail = format!("{count} with the same UUID: {}", named(&objects));
            finding.measured(objects.len() as f64).detail(detail)
        };
        Ok(shared.into_iter().map(finding).collect())
    }

    /// One finding for each input that has mostly the same objects under other UUIDs. XAR001 shows the others.
    fn xar005_equal_objects(
        &mut self,
        input: &Compared<'_>,
        here: Input,
        with_uuids: &[Finding],
    ) -> io::Result<Vec<Finding>> {
        let mut found = Vec::new();
        for (first, objects) in self.equal.earlier(input, here)? {
            let is_other = self.series[first as usize] != self.series[here as usize];
            let place = self.place(first, here);
            if is_other && with_uuids.iter().all(|finding| finding.place.within != place) {
                let count = counted(objects.len() as u64, "equal object");
                let detail = format!("{count}: {}", named(&objects));
                let finding = Finding::new(Code::XAR005).within(place);
                found.push(finding.measured(objects.len() as f64).detail(detail));
            }
        }
        Ok(found)
    }

    /// One finding for each input of the same kind with regions of this one, by UUID and name. XAR001 shows the others.
    fn xar004_regions_elsewhere(
        &mut self,
        ledger: &Ledger,
        here: Input,
        with_objects: &[Finding],
    ) -> io::Result<Vec<Finding>> {
        let mut shared: BTreeMap<Input, Vec<&str>> = BTreeMap::new();
        // What was not read to its end may be a broken copy, and has findings of its own. A region without a name may be
        // a template.
        let is_whole = ledger.status == Status::Complete;
        for region in ledger.regions.iter().filter(|region| is_whole && !region.name.is_empty()) {
            let Some(uuid) = region.uuid.filter(|uuid| !uuid.is_nil()) else { continue };
            let key = xxh3_128_with_seed(region.name.as_bytes(), xxh3_64(uuid.as_bytes())).to_le_bytes();
            let first = self.regions.meet(key, here.to_le_bytes())?;
            let first = first.map_or(here, Input::from_le_bytes);
            let [one, other] = [first, here].map(|input| input as usize);
            if self.series[one] != self.series[other] && self.kinds[one] == self.kinds[other] {
                shared.entry(first).or_default().push(&region.name);
            }
        }
        let mut found = Vec::new();
        for (first, names) in shared {
            let place = self.place(first, here);
            if with_objects.iter().all(|finding| finding.place.within != place) {
                let listed = names.iter().map(|name| format!("\"{name}\""));
                let detail = most_of(NAMED, names.len(), listed);
                let finding = Finding::new(Code::XAR004).within(place);
                found.push(finding.measured(names.len() as f64).detail(detail));
            }
        }
        Ok(found)
    }

    fn evaluate_mesh(&mut self, mesh: &MeshFacts, here: Input) -> io::Result<Option<Finding>> {
        // No grid stores an empty asset, and two of them are not the same mesh.
        let Some(uuid) = mesh.uuid.filter(|_| mesh.bytes > 0) else { return Ok(None) };
        let Ok(content) = u128::from_str_radix(&mesh.content_hash, 16) else { return Ok(None) };
        let finding = match self.assets.meet(uuid.into_bytes(), packed(here, content))? {
            Some(first) => self.changed(Code::MSH013, first, content, here),
            None => {
                let same = self.xar003_same_mesh(uuid, content, here)?;
                same.map(|finding| finding.measured(mesh.bytes as f64))
            }
        };
        Ok(finding.map(|finding| of_asset(finding, mesh.entry.clone(), uuid)))
    }

    /// Like MSH013, for assets of other types. Objects are not compared, because OpenSim rewrites the creators in
    /// objects when it saves them.
    fn xar002_changed(&mut self, asset: &AssetFacts, here: Input) -> io::Result<Option<Finding>> {
        if matches!(asset.suffix(), None | Some("_mesh.llmesh")) {
            return Ok(None);
        }
        // Grids have their own well-known assets, and store no empty assets.
        let uuid = asset.uuid().filter(|uuid| asset.bytes > 0 && !is_well_known(*uuid));
        let (Some(uuid), Some(content)) = (uuid, asset.content_hash) else { return Ok(None) };
        let first = self.assets.meet(uuid.into_bytes(), packed(here, content.number()))?;
        if asset.suffix() == Some("_object.xml") {
            return Ok(None);
        }
        let finding = first.and_then(|first| self.changed(Code::XAR002, first, content.number(), here));
        Ok(finding.map(|finding| of_asset(finding, asset.entry.to_string(), uuid)))
    }

    /// Returns a finding if the first asset of the UUID is in another input and has other content. ARC010 compares the
    /// assets of one input.
    fn changed(&self, code: Code, first: [u8; 20], content: u128, here: Input) -> Option<Finding> {
        let (input, other) = unpacked(first);
        (other != content && input != here).then(|| Finding::new(code).within(self.place(input, here)))
    }

    /// Reports content that an earlier UUID has, too. Each UUID is reported once, at its first input.
    fn xar003_same_mesh(&mut self, uuid: Uuid, content: u128, here: Input) -> io::Result<Option<Finding>> {
        let first = self.contents.meet(content.to_be_bytes(), packed(here, uuid.as_u128()))?;
        let first = first.map(unpacked).map(|(input, first)| (input, Uuid::from_u128(first)));
        let other = first.filter(|(_, first)| *first != uuid);
        Ok(other.map(|(input, first)| {
            Finding::new(Code::XAR003).within(self.place(input, here)).detail(first.to_string())
        }))
    }

    fn place(&self, input: Input, here: Input) -> String {
        if input == here { "this archive".into() } else { self.inputs[input as usize].clone() }
    }
}

fn packed(input: Input, number: u128) -> [u8; 20] {
    let mut bytes = [0; 20];
    bytes[..4].copy_from_slice(&input.to_le_bytes());
    bytes[4..].copy_from_slice(&number.to_le_bytes());
    bytes
}

fn unpacked(bytes: [u8; 20]) -> (Input, u128) {
    let [a, b, c, d, number @ ..] = bytes;
    (Input::from_le_bytes([a, b, c, d]), u128::from_le_bytes(number))
}

fn of_asset(finding: Finding, entry: String, uuid: Uuid) -> Finding {
    let mut finding = finding.entry(entry);
    finding.place.asset = Some(uuid);
    finding
}

fn named(objects: &[&ObjectFacts]) -> String {
    let roots = objects.iter().filter_map(|object| object.linkset.parts.first());
    let names = roots.map(|root| format!("\"{}\" ({})", root.name, root.uuid));
    most_of(NAMED, objects.len(), names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;
    use hullmark_format::{
        mesh,
        object::{Linkset, Part},
    };
    use hullmark_ledger::Ledger;
    use hullmark_settings::profile::Profile;
    use hullmark_util::work::Work;
    use proptest::prelude::*;

    /// An input whose objects have these UUIDs, and whose meshes have these UUIDs and contents.
    fn ledger(input: &str, roots: &[u128], meshes: &[(u128, u8)]) -> Ledger {
        let object = |&root: &u128| ObjectFacts {
            entry: format!("objects/{root}.xml"),
            ..ObjectFacts::rezzed(Linkset {
                parts: vec![Part { uuid: Uuid::from_u128(root), name: "Hut".into(), ..Part::default() }],
                ..Linkset::default()
            })
        };
        let mesh = |(place, &(uuid, content)): (usize, &(u128, u8))| {
            let entry = format!("assets/{place}_mesh.llmesh");
            let (uuid, work) = (Some(Uuid::from_u128(uuid)), &mut Work::unlimited());
            MeshFacts::new(entry, uuid, &[content; 9], &mesh::Mesh::default(), work)
        };
        Ledger {
            meshes: meshes.iter().enumerate().map(mesh).collect(),
            objects: roots.iter().map(object).collect(),
            ..Ledger::empty(input, hullmark_ledger::InputKind::Oar, Status::Complete)
        }
    }

    fn evaluate(ledgers: &[Ledger]) -> Vec<Vec<Finding>> {
        evaluate_with(CrossInput::default(), ledgers)
    }

    fn evaluate_with(mut across: CrossInput, ledgers: &[Ledger]) -> Vec<Vec<Finding>> {
        let profile = Profile::default();
        let mut evaluate = |ledger| {
            let mut outcomes = RuleOutcomes::default();
            across
                .evaluate(&Measured::new(ledger, &profile), &RuleContext::default(), &mut outcomes)
                .unwrap();
            outcomes.findings.finish()
        };
        ledgers.iter().map(&mut evaluate).collect()
    }

    #[test]
    fn the_later_input_names_the_first() {
        let [_, second, third] = evaluate(&[
            ledger("a.oar", &[0, 1, 2], &[(1, 7)]),
            ledger("b.oar", &[0, 3, 2, 1], &[(2, 8)]),
            ledger("c.oar", &[3, 2], &[]),
        ])
        .try_into()
        .unwrap();
        let hut = |root: u128| format!("\"Hut\" ({})", Uuid::from_u128(root));
        let messages = |findings: &[Finding]| -> Vec<_> { findings.iter().map(catalogue::message).collect() };
        let reported = |count: u64, input: &str, huts: &str| {
            format!("{input} also contains {} with the same UUID: {huts}", counted(count, "object"))
        };
        assert_eq!(messages(&second), [reported(2, "a.oar", &format!("{}, {}", hut(2), hut(1)))]);
        assert_eq!(messages(&third), [reported(1, "a.oar", &hut(2)), reported(1, "b.oar", &hut(3))]);
    }

    #[test]
    fn a_uuid_with_another_content_and_a_content_with_another_uuid() {
        let [first, second] = evaluate(&[
            ledger("a.oar", &[], &[(1, 7), (1, 7), (1, 8), (2, 7)]),
            ledger("b.oar", &[], &[(1, 9), (2, 7), (3, 7), (4, 9)]),
        ])
        .try_into()
        .unwrap();
        let reported = |findings: &[Finding]| -> Vec<_> {
            findings
                .iter()
                .map(|finding| (finding.code, finding.place.entry.clone(), finding.place.within.clone()))
                .collect()
        };
        let at = |code, number: u32, within: &'static str| {
            (code, format!("assets/{number}_mesh.llmesh"), within.into())
        };
        let here = "this archive";
        // ARC010 reports two contents under one UUID in one archive.
        assert_eq!(reported(&first), [at(Code::XAR003, 3, here)]);
        // Content that only a rejected asset has does not count as a second UUID.
        assert_eq!(reported(&second), [at(Code::MSH013, 0, "a.oar"), at(Code::XAR003, 2, "a.oar")]);
        assert_eq!(second[1].detail, Uuid::from_u128(1).to_string());
    }

    #[test]
    fn cut_archives_are_not_compared() {
        let mut cut = ledger("a.oar", &[], &[(1, 7), (2, 7)]);
        cut.status = Status::Incomplete;
        let found = evaluate(&[cut, ledger("b.oar", &[], &[(1, 8)])]);
        assert_eq!(found, [[], []]);
    }

    proptest! {
        /// Compares every object and mesh with every earlier one.
        #[test]
        fn counts_are_those_of_comparing_each_with_each(
            inputs in prop::collection::vec(
                (prop::collection::vec(1_u128..6, 0..5), prop::collection::vec((1_u128..6, 0_u8..3), 0..5)),
                0..5,
            ),
        ) {
            let number = |place: usize| format!("{place}.oar");
            let ledgers: Vec<_> = inputs
                .iter()
                .enumerate()
                .map(|(place, (roots, meshes))| ledger(&number(place), roots, meshes))
                .collect();
            let findings = evaluate(&ledgers).concat();
            let folder = tempfile::tempdir().unwrap();
            for bytes in [0, 500] {
                prop_assert_eq!(&evaluate_with(CrossInput::within(bytes, folder.path()), &ledgers).concat(), &findings);
            }
            let count = |code| findings.iter().filter(move |finding| finding.code == code);

            let shared: usize = inputs
                .iter()
                .enumerate()
                .map(|(place, (roots, _))| {
                    let before = |root: &u128| inputs[..place].iter().any(|(roots, _)| roots.contains(root));
                    roots.iter().filter(|root| before(root)).count()
                })
                .sum();
            prop_assert_eq!(count(Code::XAR001).filter_map(|finding| finding.measured).sum::<f64>(), shared as f64);

            let meshes: Vec<_> = inputs.iter().flat_map(|(_, meshes)| meshes).copied().collect();
            // A grid stores the first asset of each UUID.
            let stored: Vec<_> = (0..meshes.len())
                .filter(|&at| meshes[..at].iter().all(|(uuid, _)| *uuid != meshes[at].0))
                .map(|at| meshes[at])
                .collect();
            let first_in = |uuid: u128| inputs.iter().position(|(_, meshes)| meshes.iter().any(|mesh| mesh.0 == uuid));
            let changed = inputs.iter().enumerate().flat_map(|(at, (_, meshes))| meshes.iter().map(move |mesh| (at, mesh)));
            let changed = changed.filter(|(at, mesh)| !stored.contains(mesh) && first_in(mesh.0) != Some(*at)).count();
            prop_assert_eq!(count(Code::MSH013).count(), changed);
            let contents: std::collections::BTreeSet<u8> = stored.iter().map(|(_, content)| *content).collect();
            prop_assert_eq!(count(Code::XAR003).count(), stored.len() - contents.len());
        }
    }
}

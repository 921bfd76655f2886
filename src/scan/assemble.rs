//! Assembles the ledger of an input from the results of its members, in their order.

use super::{decode::file_stem, sculpts::Sculpt};
use hullmark_finding::Capped;
use hullmark_format::{
    archive_xml::ArchiveManifest,
    defect::{Defect, InputDefect, MeshDefect},
    member,
};
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{self, AssetFacts, ParcelFacts, RegionFacts, Role, Status},
};
use hullmark_settings::limits::Limits;
use hullmark_source::content::{Decoded, MemberContent};
use hullmark_source::{Input, Reading, What};
use std::collections::{BTreeMap, HashSet};

/// Assembles a ledger from the results of the members, in the order of the members.
pub(super) fn assemble(
    input: &Input,
    limits: &Limits,
    reading: Reading,
    assets: Vec<AssetFacts>,
    sculpts: Vec<Sculpt>,
    decoded: Vec<Decoded>,
) -> Ledger {
    let empty = Ledger::empty(&input.name, InputKind::Unknown, status(input, &reading));
    let kind = reading.kind;
    let mut ledger = Ledger {
        bytes: input.bytes,
        content_hash: reading.content_hash.map(|hash| format!("{hash:032x}")),
        container: reading.container,
        assets,
        store_rows: reading.store_rows,
        estates: reading.estates,
        unknown: reading.unknown.finish(),
        ..empty
    };
    // The list is capped while it grows: each of a million members may add a defect.
    let mut defects = Capped::new(limits.findings_per_code);
    defects.extend(reading.defects.finish());
    let mut regions = Regions::default();
    let (mut terrains, mut unread_terrains) = (Vec::new(), Vec::new());
    for Decoded { folder, content, defects: found } in decoded {
        match content {
            MemberContent::ArchiveManifest(control) => drop(ledger.container.control.get_or_insert(control)),
            MemberContent::Settings(name, settings) => {
                let region = regions.at(&folder);
                (region.name, region.settings) = (name, settings);
            }
            MemberContent::Parcel(parcel) => {
                let parcels = &mut regions.at(&folder).parcels;
                let order = parcels.len() as u32;
                parcels.extend(parcel.map(|parcel| ParcelFacts { order, ..parcel }));
            }
            MemberContent::Region => _ = regions.number(&folder),
            MemberContent::WholeRegion(region) => *regions.at(&folder) = *region,
            MemberContent::Terrain(terrain) => terrains.push(terrain),
            MemberContent::UnreadTerrain(entry) => unread_terrains.push((folder, entry)),
            MemberContent::Item(item) => {
                ledger.container.inventory_items += 1;
                ledger.items.extend(item);
            }
            MemberContent::Inventory(inventory) => ledger.inventories.push(*inventory),
            MemberContent::Items(mut items) => ledger.items.append(&mut items),
            MemberContent::Assets(mut meshes, mut objects) => {
                for object in objects.iter_mut().filter(|object| object.role == Role::Rezzed) {
                    object.region = Some(regions.number(&folder));
                }
                ledger.objects.append(&mut objects);
                ledger.meshes.append(&mut meshes);
            }
        }
        defects.extend(found);
    }
    facts::keep_most(&mut ledger.meshes);
    // The vector grew by doubling and stays in memory until the ledger is written or reported.
    ledger.objects.shrink_to_fit();
    ledger.items.shrink_to_fit();
    ledger.inventories.sort_by(|a, b| a.entry.cmp(&b.entry));
    for Sculpt { facts, defect } in sculpts {
        ledger.sculpts.push(facts);
        defects.extend(defect);
    }
    for terrain in terrains {
        let member = member::classify(&terrain.entry);
        let region = regions.at(member.region);
        if region.name.is_empty() {
            region.name = file_stem(member.file).into();
        }
        region.terrain = Some(terrain);
    }
    for (folder, entry) in unread_terrains {
        if let Some(&number) = regions.numbers.get(&folder) {
            regions.list[number].unread_terrain = Some(entry);
        }
    }
    ledger.kind = kind.unwrap_or_else(|| kind_of(input, &ledger, &regions));
    if matches!(ledger.kind, InputKind::Oar | InputKind::OarTree) {
        let control = ledger.container.control.clone().unwrap_or_default();
        defects.extend(regions.apply_control(&control));
    }
    ledger.regions = regions.list;
    ledger.defects = defects.finish();
    // A decoder reports a lack of memory as this defect.
    let lacked_memory = ledger.defects.iter().any(|defect| defect.is(MeshDefect::BlockWithoutMemory));
    if lacked_memory && ledger.status == Status::Complete {
        ledger.status = Status::Incomplete;
    }
    ledger
}

fn status(input: &Input, reading: &Reading) -> Status {
    match (&input.what, reading.incomplete) {
        (What::Unreadable(_), _) => Status::Unreadable,
        (_, true) if reading.container.entries == 0 => Status::Unreadable,
        (_, true) => Status::Incomplete,
        (_, false) => Status::Complete,
    }
}

fn kind_of(input: &Input, ledger: &Ledger, regions: &Regions) -> InputKind {
    let is_inventory = ledger.container.inventory_items > 0 && regions.list.is_empty();
    match input.what {
        What::Archive if is_inventory => InputKind::Iar,
        What::Archive => InputKind::Oar,
        What::Tree(_) if is_inventory => InputKind::IarTree,
        What::Tree(_) => InputKind::OarTree,
        What::DumpFolder(_) => InputKind::Dump,
        What::Folder(_) => InputKind::Folder,
        What::Place(_) => InputKind::Place,
        What::Unreadable(_) => InputKind::Unreadable,
    }
}

/// The regions of an archive by folder, in the order in which the folders appear.
#[derive(Default)]
struct Regions {
    list: Vec<RegionFacts>,
    numbers: BTreeMap<String, usize>,
}

impl Regions {
    fn number(&mut self, folder: &str) -> u32 {
        if let Some(&number) = self.numbers.get(folder) {
            return number as u32;
        }
        self.numbers.insert(folder.into(), self.list.len());
        self.list.push(RegionFacts::of_folder(folder));
        (self.list.len() - 1) as u32
    }

    fn at(&mut self, folder: &str) -> &mut RegionFacts {
        let number = self.number(folder) as usize;
        &mut self.list[number]
    }

    /// Takes over the statements of the control file and returns a defect for each contradiction.
    fn apply_control(&mut self, control: &ArchiveManifest) -> Vec<Defect> {
        let mut defects = Vec::new();
        let mut disagree = |kind: InputDefect| defects.push(Defect::new(kind).entry("archive.xml"));
        if control.multi_region {
            let listed: HashSet<&str> = control.regions.iter().map(|region| &*region.folder).collect();
            for region in self.list.iter().filter(|region| !listed.contains(&*region.folder)) {
                disagree(InputDefect::RegionNotListed { folder: region.folder.clone() });
            }
        }
        for stated in &control.regions {
            if control.multi_region && !self.numbers.contains_key(&stated.folder) {
                disagree(InputDefect::RegionWithoutFiles { folder: stated.folder.clone() });
            }
            let region = self.at(&stated.folder);
            (region.uuid, region.is_megaregion) = (stated.uuid, stated.is_megaregion);
            if let Some(size) = stated.size {
                (region.size, region.size_stated) = (size, true);
            }
            if region.name.is_empty() {
                region.name.clone_from(&stated.folder);
            }
        }
        defects
    }
}

//! Copies some objects of an archive of regions, with their land and all assets that they use.
//!
//! ```text
//! ledger ─▶ Selection ─▶ Chosen ─▶ Extract, or one for each Division ─▶ write ─▶ archives
//!                                    └ Form: what a member becomes
//! ```

mod division;
mod form;
mod item;
mod regions;
mod rights;
mod selection;
mod square;
mod write;

pub use division::{Division, Per};
pub use form::Form;
pub use rights::{Rights, RightsError};
pub use selection::{Selection, Within, WithinError};
pub use square::Square;
pub use write::{Written, write};

use crate::{CopyError, control, first::first_member, names, needed::Uses};
use glam::DVec3;
use hullmark_analysis::land::SMALLEST_M;
use hullmark_format::member::{self, Kind};
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{AssetFacts, ObjectFacts, RegionFacts},
};
use hullmark_source::{Input, ReadRequest};
use regions::without_other_regions;
use std::collections::{BTreeSet, HashMap, HashSet};
use uuid::Uuid;

/// The objects that were chosen.
#[derive(Debug)]
pub struct Chosen<'a> {
    ledger: &'a Ledger,
    uses: Uses<'a>,
    pub objects: Vec<&'a ObjectFacts>,
    /// Objects that were chosen, and whose owner lacks the rights.
    pub forbidden: Vec<&'a ObjectFacts>,
    /// Members with objects that cannot be read. Nobody knows whether they are wanted.
    pub unread: BTreeSet<&'a str>,
    /// Whether all objects and regions are.
    is_all: bool,
}

impl<'a> Chosen<'a> {
    /// Chooses objects.
    ///
    /// # Errors
    /// The input is no archive of regions, or no object matches.
    pub fn new(ledger: &'a Ledger, selection: &Selection) -> Result<Self, CopyError> {
        if !matches!(ledger.kind, InputKind::Oar | InputKind::OarTree) || ledger.regions.is_empty() {
            return Err(CopyError::NoRegions(ledger.input.clone()));
        }
        let is_allowed = |object: &&ObjectFacts| selection.rights.is_none_or(|rights| rights.allow(object));
        let (objects, forbidden): (Vec<_>, Vec<_>) = selection.of(ledger).into_iter().partition(is_allowed);
        let is_all = selection.is_empty();
        if objects.is_empty() && !is_all {
            return Err(CopyError::NothingMatches(ledger.input.clone()));
        }
        let uses = Uses::new(&[ledger]);
        Ok(Self { ledger, uses, objects, forbidden, unread: unread(ledger), is_all })
    }

    /// Returns what one copy with all of them has.
    pub fn together(&self, form: Form) -> Extract<'a> {
        self.extract(self.objects.clone(), form)
    }

    /// Returns the form in which the middle of the objects is at this place, and the lowest root at its height.
    ///
    /// # Errors
    /// The objects are in several regions, or one would be outside.
    pub fn placed_at(&self, at: DVec3) -> Result<Form, CopyError> {
        let regions: BTreeSet<Option<u32>> = self.objects.iter().map(|object| object.region).collect();
        let mut regions = regions.into_iter();
        let (region, others) = (regions.next().flatten(), regions.count());
        if others > 0 {
            return Err(CopyError::SeveralRegions(others + 1));
        }
        let roots = self.objects.iter().filter_map(|object| object.linkset.parts.first());
        let places: Vec<DVec3> =
            roots.map(|root| root.group_position).filter(|place| place.is_finite()).collect();
        let Some(least) = places.iter().copied().reduce(DVec3::min) else { return Ok(Form::Same) };
        let most = places.iter().copied().fold(least, DVec3::max);
        let by = at - least.midpoint(most).with_z(least.z);
        let size = region
            .and_then(|number| self.ledger.regions.get(number as usize))
            .map_or(SMALLEST_M, |region| region.size);
        let [east, north] = size.map(f64::from);
        let is_outside = |place: &&DVec3| {
            let moved = **place + by;
            moved.min_element() < 0.0 || moved.x >= east || moved.y >= north
        };
        match places.iter().filter(is_outside).count() {
            0 => Ok(Form::Moved(by)),
            outside => Err(CopyError::Outside(format!("{},{},{}", at.x, at.y, at.z), outside, places.len())),
        }
    }

    fn extract(&self, objects: Vec<&'a ObjectFacts>, form: Form) -> Extract<'a> {
        let numbers: BTreeSet<u32> = objects.iter().filter_map(|object| object.region).collect();
        let regions = numbers.iter().filter_map(|number| self.ledger.regions.get(*number as usize));
        let regions = if form.has_land() { regions.collect() } else { Vec::new() };
        self.extract_with(regions, objects, form)
    }

    /// Returns what a copy with the land of these regions has.
    fn extract_with(
        &self,
        regions: Vec<&'a RegionFacts>,
        objects: Vec<&'a ObjectFacts>,
        form: Form,
    ) -> Extract<'a> {
        let needed = self.uses.of(&objects, &regions, &[]);
        let missing = self.uses.missing(&needed);
        let by_entry = objects.iter().map(|object| (object.entry.as_str(), *object)).collect();
        Extract { ledger: self.ledger, objects, regions, form, by_entry, needed, missing }
    }
}

/// Returns the members with objects that cannot be read.
fn unread(ledger: &Ledger) -> BTreeSet<&str> {
    let read: HashSet<&str> = ledger.objects.iter().map(|object| object.entry.as_str()).collect();
    let entries = ledger.defects.iter().map(|defect| &*defect.place.entry);
    entries.filter(|entry| member::classify(entry).kind == Kind::Object && !read.contains(entry)).collect()
}

/// Which members of an archive are copied, and in which form.
#[derive(Debug)]
pub struct Extract<'a> {
    ledger: &'a Ledger,
    pub objects: Vec<&'a ObjectFacts>,
    /// The regions whose land is copied.
    pub regions: Vec<&'a RegionFacts>,
    form: Form,
    by_entry: HashMap<&'a str, &'a ObjectFacts>,
    /// The assets that they use.
    needed: BTreeSet<Uuid>,
    /// Those of them that the archive lacks.
    pub missing: BTreeSet<Uuid>,
}

impl Extract<'_> {
    fn copied(&self) -> impl Iterator<Item = &AssetFacts> {
        self.ledger.assets.iter().filter(|asset| asset.uuid().is_some_and(|uuid| self.needed.contains(&uuid)))
    }

    /// Returns the number of assets that are copied.
    pub fn assets(&self) -> u64 {
        self.copied().count() as u64
    }

    /// Returns their bytes.
    pub fn bytes(&self) -> u64 {
        self.copied().map(|asset| asset.bytes).sum()
    }

    /// Returns the document of the only object. `is_stopped` says whether a signal came.
    ///
    /// # Errors
    /// There are several objects, or the archive changed since its ledger was made.
    pub fn document(
        &self,
        input: &Input,
        request: &ReadRequest<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, CopyError> {
        if self.by_entry.len() > 1 {
            return Err(CopyError::SeveralObjects(self.by_entry.len() as u64));
        }
        let document = first_member(input, request, is_stopped, &|name| self.by_entry.contains_key(name));
        if is_stopped() {
            return Err(CopyError::Stopped);
        }
        let changed = || CopyError::Changed(self.ledger.input.clone());
        let document = document.ok_or_else(changed)?;
        let object = self.by_entry.get(document.name.as_str()).copied();
        let members =
            self.form.of(&document.name, Kind::Object, &document.bytes, object).ok_or_else(changed)?;
        members.into_iter().next().map(|(_, bytes)| bytes).ok_or_else(changed)
    }

    /// Returns the control file of the copy. `stated` reads that of the archive.
    fn control(&self, stated: impl FnOnce() -> Option<Vec<u8>>) -> Result<Vec<u8>, CopyError> {
        match (self.form, self.single()) {
            (Form::Inventory, _) => return Ok(control::of_inventory()),
            (Form::Square(_), _) => return Ok(control::of_region(SMALLEST_M, None)),
            (_, Some(region)) => return Ok(control::of_region(region.size, region.uuid)),
            _ => {}
        }
        let bytes = stated();
        let bytes = if self.regions.len() == self.ledger.regions.len() {
            bytes
        } else {
            let kept = self.regions.iter().map(|region| region.folder.as_str()).collect();
            bytes.and_then(|bytes| without_other_regions(&bytes, &kept))
        };
        bytes.ok_or_else(|| CopyError::WithoutControl(self.ledger.input.clone()))
    }

    /// Returns the only region that is left of several. Its copy is an archive of one region, which any region can load.
    fn single(&self) -> Option<&RegionFacts> {
        match self.regions.as_slice() {
            [region] if !region.folder.is_empty() => Some(region),
            _ => None,
        }
    }

    /// Returns the path of a member in the copy.
    fn path_of<'n>(&self, name: &'n str) -> &'n str {
        let path = names::inside(name, "");
        let single = self.single().and_then(|region| {
            path.strip_prefix("regions/")?.strip_prefix(region.folder.as_str())?.strip_prefix('/')
        });
        single.unwrap_or(path)
    }

    fn is_copied(&self, name: &str) -> bool {
        let member = member::classify(name);
        match member.kind {
            Kind::ArchiveManifest => false,
            Kind::Object => self.by_entry.contains_key(name),
            Kind::Settings | Kind::Parcel | Kind::Terrain => {
                self.regions.iter().any(|region| region.folder == member.region)
            }
            kind if kind.is_asset() => member::uuid_in(name).is_some_and(|uuid| self.needed.contains(&uuid)),
            _ => false,
        }
    }
}

//! Divides chosen objects: one copy for each owner, region, parcel or square.

use super::{Chosen, Extract, Form, Square};
use glam::DVec3;
use hullmark_analysis::land::{SMALLEST_M, on_parcels, size_by_places};
use hullmark_ledger::facts::{ObjectFacts, RegionFacts};
use hullmark_util::named;
use std::collections::{BTreeMap, HashMap, HashSet};
use uuid::Uuid;

named! {
    /// What has a copy of its own.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Per {
        Owner = "owner",
        /// Regions. A megaregion is divided into its squares.
        Region = "region",
        Parcel = "parcel",
        /// Squares of 256 m of regions.
        Square = "square",
    }
}

/// Characters of a file name.
const NAMED: usize = 60;

/// Names that Windows does not give to files.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// One of the copies.
#[derive(Debug)]
pub struct Division<'a> {
    /// The name of its file.
    pub file: String,
    /// Name of the region or parcel; empty for an owner, and for objects on no parcel.
    pub name: String,
    /// UUID of the owner, region or parcel.
    pub uuid: Option<Uuid>,
    pub square: Option<Square>,
    pub extract: Extract<'a>,
}

impl<'a> Chosen<'a> {
    /// Divides the objects, and the land of their regions.
    pub fn divided(&self, per: Per) -> Vec<Division<'a>> {
        let mut divisions = match per {
            Per::Owner => self.per_owner(),
            // Older archives of megaregions state no size.
            Per::Region => self.each_region(|region| region.is_megaregion || !region.size_stated),
            Per::Square => self.each_region(|_| true),
            Per::Parcel => self.per_parcel(),
        };
        let mut names = FileNames::default();
        for division in &mut divisions {
            division.file = names.free(&division.file);
        }
        divisions
    }

    fn per_owner(&self) -> Vec<Division<'a>> {
        let mut owners: BTreeMap<Uuid, Vec<&ObjectFacts>> = BTreeMap::new();
        for object in &self.objects {
            let owner = object.linkset.parts.first().map(|root| root.owner).unwrap_or_default();
            owners.entry(owner).or_default().push(object);
        }
        let division = |(owner, objects): (Uuid, _)| Division {
            file: owner.to_string(),
            name: String::new(),
            uuid: Some(owner),
            square: None,
            extract: self.extract(objects, Form::Same),
        };
        owners.into_iter().map(division).collect()
    }

    fn per_parcel(&self) -> Vec<Division<'a>> {
        let mut divisions = Vec::new();
        for (region, objects) in self.regions() {
            let places = objects
                .iter()
                .enumerate()
                .filter_map(|(number, object)| Some((number, object.linkset.parts.first()?.group_position)));
            let on_each = on_parcels(&region.parcels, places);
            let mut free: HashSet<usize> = (0..objects.len()).collect();
            for (facts, here) in region.parcels.iter().zip(on_each).filter(|(_, here)| !here.is_empty()) {
                here.iter().for_each(|number| _ = free.remove(number));
                divisions.push(Division {
                    file: format!("{} {}", region.name, facts.parcel.name),
                    name: facts.parcel.name.clone(),
                    uuid: facts.parcel.uuid,
                    square: None,
                    extract: self.extract(here.iter().map(|&number| objects[number]).collect(), Form::Same),
                });
            }
            let mut free: Vec<usize> = free.into_iter().collect();
            free.sort_unstable();
            if !free.is_empty() {
                divisions.push(Division {
                    file: format!("{} no parcel", region.name),
                    name: String::new(),
                    uuid: None,
                    square: None,
                    extract: self.extract(free.iter().map(|&number| objects[number]).collect(), Form::Same),
                });
            }
        }
        divisions
    }

    /// Divides by regions, and those that are to be divided by their squares.
    fn each_region(&self, is_divided: impl Fn(&RegionFacts) -> bool) -> Vec<Division<'a>> {
        let mut divisions = Vec::new();
        for (region, objects) in self.regions() {
            let whole = |objects: Vec<&'a ObjectFacts>, form| Division {
                file: region.name.clone(),
                name: region.name.clone(),
                uuid: region.uuid,
                square: None,
                extract: self.extract_with(vec![region], objects, form),
            };
            let size = match region.size_stated {
                true => region.size,
                false => size_by_places(places(&objects)),
            };
            if size == SMALLEST_M || !is_divided(region) {
                divisions.push(whole(objects, Form::Same));
                continue;
            }
            for square in Square::of_region(size) {
                let is_here =
                    |object: &&ObjectFacts| object.linkset.parts.first().is_some_and(|root| square.has(root));
                let here: Vec<_> = objects.iter().copied().filter(is_here).collect();
                let [east, north] = square.corner();
                divisions.push(Division {
                    file: format!("{} {east}-{north}", region.name),
                    square: Some(square),
                    ..whole(here, Form::Square(square))
                });
            }
        }
        divisions
    }

    /// Returns the regions of the objects, and all if all objects were chosen, with their objects.
    fn regions(&self) -> Vec<(&'a RegionFacts, Vec<&'a ObjectFacts>)> {
        let mut objects: BTreeMap<u32, Vec<&ObjectFacts>> = BTreeMap::new();
        for object in &self.objects {
            if let Some(number) = object.region {
                objects.entry(number).or_default().push(object);
            }
        }
        let regions = self.ledger.regions.iter().zip(0..);
        let with_objects =
            regions.map(|(region, number)| (region, objects.remove(&number).unwrap_or_default()));
        with_objects.filter(|(_, objects)| self.is_all || !objects.is_empty()).collect()
    }
}

fn places(objects: &[&ObjectFacts]) -> impl Iterator<Item = DVec3> {
    objects.iter().filter_map(|object| Some(object.linkset.parts.first()?.group_position))
}

/// The names of files so far, in lower case: Windows and macOS do not distinguish it from upper case.
#[derive(Default)]
struct FileNames(HashMap<String, u32>);

impl FileNames {
    /// Returns a name that every system gives to a file, and that no other copy has.
    fn free(&mut self, wanted: &str) -> String {
        let plain = |c: char| if c.is_alphanumeric() || " -_()".contains(c) { c } else { '_' };
        let name: String = wanted.chars().map(plain).take(NAMED).collect();
        let (name, lower) = (name.trim(), name.trim().to_lowercase());
        let is_numbered = |rest: &str| rest.len() <= 1;
        let is_device = DEVICES.iter().any(|device| lower.strip_prefix(device).is_some_and(is_numbered));
        let name = match name {
            "" => "unnamed".to_owned(),
            name if is_device => format!("_{name}"),
            name => name.to_owned(),
        };
        let mut free = name.clone();
        while let Some(count) = self.0.get_mut(&free.to_lowercase()) {
            *count += 1;
            free = format!("{name} ({count})");
            if self.0.contains_key(&free.to_lowercase()) {
                free.clone_from(&name);
            }
        }
        self.0.insert(free.to_lowercase(), 1);
        format!("{free}.oar")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_copy_has_a_name_of_its_own() {
        let mut names = FileNames::default();
        let wanted = ["Land", "land", "Land (2)", "LAND", "con", "Com1", "Comet", "../x", " ", ""];
        let given = wanted.map(|name| names.free(name));
        let expected = [
            "Land.oar",
            "land (2).oar",
            "Land (2) (2).oar",
            "LAND (3).oar",
            "_con.oar",
            "_Com1.oar",
            "Comet.oar",
            "___x.oar",
            "unnamed.oar",
            "unnamed (2).oar",
        ];
        assert_eq!(given, expected);
        let many: HashSet<String> = (0..20_000).map(|_| names.free("Parcel")).collect();
        assert_eq!(many.len(), 20_000);
    }
}

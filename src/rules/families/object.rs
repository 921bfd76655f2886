//! OBJ: objects that load, but not as their owners expect.

use super::{archive::is_archive, link::at};
use crate::{RuleOutcomes, abridged, at_links, links};
use hullmark_analysis::{Measured, duplicates};
use hullmark_finding::Code;
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, Role};
use hullmark_util::number_text::counted;
use std::collections::{HashMap, HashSet, hash_map::Entry};
use uuid::Uuid;

/// Tolerance, in metres, between an object and the position in its file name, which has whole metres.
const NAME_TOLERANCE_M: f64 = 1.0;

/// Returns the objects in regions, with their roots.
pub fn rezzed<'a>(measured: &Measured<'a>) -> impl Iterator<Item = (&'a ObjectFacts, &'a Part)> {
    let objects = measured.ledger.objects.iter().filter(|object| object.role == Role::Rezzed);
    objects.filter_map(|object| Some((object, object.linkset.parts.first()?)))
}

/// A part whose UUID is zero or absent.
pub(crate) fn obj003_no_uuid(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    // Some exports of viewers never have UUIDs.
    for object in measured.ledger.objects.iter().filter(|object| object.layout.has_identities()) {
        let links = links(object.linkset.parts.iter().filter(|part| part.uuid.is_nil()));
        if !links.is_empty() {
            let count = counted(links.len() as u64, "prim");
            let detail = format!("{count} without a UUID: {}", at_links(&links));
            verdicts.push(at(object, Code::OBJ003).measured(links.len() as f64).detail(detail));
        }
    }
}

/// A part with the UUID of a part of an earlier object, both in a region. Copies in inventories share UUIDs and get new
/// ones when they are rezzed.
pub(crate) fn obj004_uuid_twice(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let mut first: HashMap<Uuid, &ObjectFacts> = HashMap::new();
    for (object, _) in rezzed(measured) {
        let mut doubles = Vec::new();
        let mut before = None;
        for part in object.linkset.parts.iter().filter(|part| !part.uuid.is_nil()) {
            match first.entry(part.uuid) {
                Entry::Vacant(place) => _ = place.insert(object),
                // OBJ015 reports repeats within one object.
                Entry::Occupied(place) if std::ptr::eq(*place.get(), object) => {}
                Entry::Occupied(place) => {
                    before.get_or_insert(*place.get());
                    doubles.push(part);
                }
            }
        }
        if let Some(before) = before {
            let detail = format!("{}, also in {}", at_links(&links(doubles.iter().copied())), before.entry);
            verdicts.push(at(object, Code::OBJ004).measured(doubles.len() as f64).detail(detail));
        }
    }
}

/// A part with the UUID of an earlier part of its object, or an item with the UUID of an earlier item of its part.
pub(crate) fn obj015_uuid_twice_in_one_object(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    for (object, _) in rezzed(measured) {
        if let Some(detail) = uuids_twice(object) {
            verdicts.push(at(object, Code::OBJ015).detail(detail));
        }
    }
    if is_archive(measured) {
        uuids_twice_in_one_file(measured, verdicts);
    }
}

/// OpenSim loads all parts in one file of an archive as a single object, across groups.
fn uuids_twice_in_one_file(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let mut before: HashSet<Uuid> = HashSet::new();
    let mut entry = "";
    for (object, _) in rezzed(measured) {
        if object.entry != entry {
            entry = &object.entry;
            before.clear();
        }
        let parts = &object.linkset.parts;
        let twice = links(parts.iter().filter(|part| before.contains(&part.uuid)));
        before.extend(parts.iter().map(|part| part.uuid));
        if !twice.is_empty() {
            let detail = format!(
                "{} (UUID of another object in the file; OpenSim loads them as one object)",
                at_links(&twice)
            );
            verdicts.push(at(object, Code::OBJ015).detail(detail).aspect("file"));
        }
    }
}

/// Describes the repeated UUIDs of an object. `None` if none is repeated.
pub(crate) fn uuids_twice(object: &ObjectFacts) -> Option<String> {
    let mut parts = HashSet::new();
    let mut twice = Vec::new();
    for part in &object.linkset.parts {
        if !parts.insert(part.uuid) {
            twice.push(format!("link {} has the UUID of another prim", part.link_number));
        }
        let mut items = HashSet::new();
        if let Some(item) = part.inventory.iter().find(|item| !items.insert(item.uuid)) {
            twice.push(format!(
                "item \"{}\" in link {} has the UUID of another item",
                item.name, part.link_number
            ));
        }
    }
    (!twice.is_empty()).then(|| abridged(&twice))
}

/// Roots of the same name, form, size and rotation at one place, to the millimetre. One finding for each place.
pub(crate) fn obj005_ghosts(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let objects = &measured.ledger.objects;
    let in_regions = objects.iter().enumerate().filter(|(_, object)| object.role == Role::Rezzed);
    for ghosts in duplicates::at_one_position(in_regions) {
        let root = |number: usize| objects[number].linkset.parts.first();
        let (Some(first), Some(second)) = (root(ghosts[0]), root(ghosts[1])) else { continue };
        let [x, y, z] = second.group_position.to_array();
        let detail =
            format!("\"{}\" at {x:.3}, {y:.3}, {z:.3}; the first has UUID {}", second.name, first.uuid);
        let finding = at(&objects[ghosts[1]], Code::OBJ005).measured(ghosts.len() as f64).detail(detail);
        verdicts.push_for(ghosts.len(), finding);
    }
}

/// Files whose names have another UUID or position than their objects. One finding for the whole archive, because
/// edits by hand or by script usually change many files.
pub(crate) fn obj008_name_differs(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let differing: Vec<_> = rezzed(measured)
        .filter(|(object, root)| {
            Named::parse(&object.entry).is_some_and(|named| {
                let place = root.group_position.to_array();
                let moved = named.place.iter().zip(place).any(|(a, b)| (a - b).abs() > NAME_TOLERANCE_M);
                named.uuid != root.uuid || moved
            })
        })
        .collect();
    if let Some((object, _)) = differing.first() {
        let names: Vec<String> = differing.iter().map(|(_, root)| format!("\"{}\"", root.name)).collect();
        let detail = format!("{}, {}", counted(names.len() as u64, "file"), abridged(&names));
        verdicts.push(at(object, Code::OBJ008).measured(names.len() as f64).detail(detail));
    }
}

/// Position and UUID in the name of an object's file: `Chair_010-128-022__UUID.xml`.
struct Named {
    place: [f64; 3],
    uuid: Uuid,
}

impl Named {
    fn parse(entry: &str) -> Option<Self> {
        let (stem, uuid) = entry.strip_suffix(".xml")?.rsplit_once("__")?;
        let (_, mut rest) = stem.rsplit_once('_')?;
        let mut place = [0.0; 3];
        for number in &mut place {
            // The first character may be a minus.
            let end = rest.get(1..)?.find('-').map_or(rest.len(), |dash| dash + 1);
            *number = rest[..end].parse().ok()?;
            rest = rest[end..].strip_prefix('-').unwrap_or_default();
        }
        Some(Self { place, uuid: Uuid::try_parse(uuid).ok().filter(|_| rest.is_empty())? })
    }
}

/// An object in a region whose root is marked as worn.
pub(crate) fn obj011_attachment(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let worn = rezzed(measured).filter(|(_, root)| root.is_attachment());
    // OpenSim writes the attach point unchanged. The halves of the byte are swapped only in packets to viewers.
    verdicts.extend(worn.map(|(object, root)| at(object, Code::OBJ011).measured(root.state)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_contain_a_place_and_a_uuid() {
        const UUID: &str = "47397b0a-7c25-4905-b82d-946cbe329328";
        let place =
            |place: &str| Named::parse(&format!("objects/A_b__c_{place}__{UUID}.xml")).map(|n| n.place);
        assert_eq!(place("010-128-1022"), Some([10.0, 128.0, 1022.0]));
        assert_eq!(place("-010--128--002"), Some([-10.0, -128.0, -2.0]));
        for none in ["010-128", "010-128-022-001", "", "a-b-c", "€€-1-1", "1--", "NaN-1-2x"] {
            assert_eq!(place(none), None, "{none}");
        }
        assert!(Named::parse("objects/Chair.xml").is_none());
    }
}

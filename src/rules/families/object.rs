//! OBJ: objects that load, but not as their owners expect.

use super::{archive::is_archive, decoding::object::BINARY, place::at_object};
use crate::{RuleOutcomes, abridged, at_links, catalogue::Reader, links};
use hullmark_analysis::{Measured, duplicates};
use hullmark_finding::{Code, Finding};
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, Role},
};
use hullmark_util::number_text::counted;
use std::collections::{HashMap, HashSet, hash_map::Entry};
use uuid::Uuid;

rules! {
    OBJ001 "" "Object's XML cannot be read" {
        about: Object,
        effect: Stops,
        cure: of_binary,
        message: "The object's XML cannot be read: {detail}",
        why: "OpenSim clears the region before it loads parcels and objects. At an object that it cannot read, it \
              gives up the load. The scripts of earlier objects are never started. All later objects, and the later \
              regions of the archive, are missing.",
        engines: [
            "OpenSimulator" => "Gives up the load at an object whose XML is not well-formed or holds no prim. `load \
                iar` gives up at an item whose end it misses, after 60 s at full load if the item ends too early.",
        ],
        fix: "`hullmark repair` mends it in a copy. Or repair the object's XML, or take its file out of \
              the archive before you load it.",
        fix_owner: "Ask the operator of your grid to repair this object's file, or to export the object again.",
        source: "OpenSim, ArchiveReadRequest.cs, DearchiveRegion and LoadObjects; SceneObjectSerializer.cs, \
              FromXml2Format",
    }

    OBJ002 "" "Object's XML has illegal text" {
        about: Object,
        effect: Stops,
        message: "The object's XML has illegal text: {detail}",
        why: "An XML reader refuses a document with characters that XML forbids. The load of the region then ends as \
              in OBJ001. Byte order marks and UTF-16 come from editors.",
        engines: [
            "OpenSimulator" => "Reads objects as UTF-8, keeps a byte order mark, and refuses text before the root \
                element. Replaces bytes that are not UTF-8, skips a document type (DTD), and loads the object \
                (OBJ006).",
        ],
        fix: "`hullmark repair` mends it in a copy. Or export the object again, or remove the characters \
              that XML does not allow.",
        fix_owner: "Ask the operator of your grid to export the object again.",
        source: "XML 1.0, section 2.2; OpenSim, ArchiveReadRequest.cs, DearchiveRegion; \
              SceneObjectSerializer.cs, FromXml2Format",
    }

    OBJ003 "prims" "Prim has no UUID" {
        about: Object,
        effect: Changes,
        check: no_uuid,
        message: "The object has {detail}",
        why: "The UUID is missing or all zeros. An object with one such prim arrives, because loading gives every \
              prim a new UUID. Two of them share the UUID zero (OBJ015).",
        engines: [
            "OpenSimulator" => "Gives every prim of an archive a new UUID. From a database or as XML, it refuses an \
                object whose UUID is zero: \"Tried to add scene object … with Zero UUID\".",
        ],
        fix: "Give each prim its own UUID in the XML.",
        fix_owner: "Ask the operator of your grid to give each prim its own UUID.",
        source: "OpenSim, SceneGraph.cs:449, AddSceneObject; SceneObjectGroup.cs, ResetIDs",
    }

    OBJ004 "prims" "Two objects share a UUID" {
        about: InWorld,
        effect: Changes,
        check: uuid_twice,
        message: "The object repeats UUIDs of an earlier object: {detail}",
        why: "A UUID must be unique in its region. From an archive both objects arrive with new UUIDs; in a copy of \
              the database one of them is refused. A repeat within one object is OBJ015.",
        engines: [
            "OpenSimulator" => "Gives every prim a new UUID when it loads an archive, also with --merge. With \
                --merge it first looks for the old UUID in the region, and skips the object if it is there. With \
                --mergeReplaceObjects it replaces the object.",
        ],
        fix: "If the two objects are copies of each other, delete one.",
        fix_owner: "If the two objects are copies of each other, delete one. In the viewer: right-click > Delete.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects; SceneGraph.cs, AddSceneObject; hyperweb.eu, on \
              copies of regions",
    }

    OBJ005 "objects" "Identical objects at one position" {
        about: InWorld,
        effect: Note,
        check: ghosts,
        message: "{measured} objects look the same and are at the same position: {detail}",
        why: "Objects with the same name, shape, size and rotation at one position look like a single object. Most \
              are leftovers of a merged archive, a script or a failed delete. Each collides and adds its land \
              impact. A script that deletes by console command is dangerous: it may delete the wrong one.",
        fix: "Go to the position in-world, and delete all but one unless the copies are intended.",
        fix_owner: "Go to the position and delete all but one, unless the copies are intended. In the viewer: \
              right-click > Delete.",
        source: "opensimworld.com, post 126913",
    }

    OBJ006 "" "Object loads with changed data" {
        about: Object,
        effect: Changes,
        message: "The object loads with changed data: {detail}",
        why: "Shape, size, position or rotation of a prim is missing, or a field cannot be read. The object loads \
              with a default in its place.",
        engines: [
            "OpenSimulator" => "Logs what it cannot read inside Shape, in inventories and in SOPAnims, and uses the \
                default. Reads an invalid UUID as zero, an invalid truth value as false, and a missing number of a \
                rotation as 0. At an element inside a value of Shape, or at the tenth broken field there, it takes \
                the end of the value for the prim's. It does not read the rest of the prim. At other fields that it \
                cannot read, it gives up the object (OBJ014).",
        ],
        fix: "Repair the field in the XML, and check the object in-world after loading.",
        fix_owner: "Check the object after the move, and correct its shape, size, position and rotation. In the \
              viewer: Edit > Object.",
        source: "OpenSim, SceneObjectSerializer.cs, ReadShape and ReadTaskInventory; Util.cs, ReadUUID, ReadBoolean \
              and ReadQuaternion",
    }

    OBJ007 "" "Saved state stops the load" {
        about: Object,
        effect: Stops,
        message: "OpenSim gives up the load at the object's saved state: {detail}",
        why: "The object's XML stores its motion along a path and the states of its scripts. OpenSim gives up the \
              object, and the load of the region, if this data is invalid (OBJ001).",
        engines: [
            "OpenSimulator" => "Gives up if KeyframeMotion is not base64, or if the UUID of a script state is \
                invalid. In objects of inventories it skips a script state with an invalid UUID.",
        ],
        fix: "`hullmark repair` mends it in a copy. Or export the object again, or remove the element from \
              its XML.",
        fix_owner: "Ask the operator of your grid to export the object again.",
        source: "OpenSim, SceneObjectSerializer.cs, FromXml2Format; SceneObjectGroup.cs, LoadScriptState; \
              OpenMetaverse, UUID.cs",
    }

    OBJ008 "objects" "File name differs from object" {
        about: Archive,
        effect: Note,
        check: name_differs,
        message: "File names state another UUID or position than the objects inside: {detail}",
        why: "OpenSim writes an object's name, position and UUID into its file name, and never reads them back. A \
              difference shows that a person or a program changed the archive.",
        fix: "If the change was intended, do nothing: the content of the file counts.",
        source: "OpenSim, ArchiveReadRequest.cs, DearchiveRegion; ArchiveHelpers.cs",
    }

    OBJ009 "uses" "Nested object is missing" {
        about: Asset,
        effect: Loses,
        check: super::reference::nested_object_missing,
        message: "The export lacks an object that an inventory or a saved appearance names: {detail}",
        why: "An object in the inventory of a prim or of a person is an asset of its own. Without that asset the \
              item stays in the list and cannot be rezzed. When InWorldz closed, its owners were warned: \
              \"objects/boxes inside objects/boxes probably won't make it\".",
        fix: "Try to rez the nested object on the old grid. If it rezzes, export it on its own. If not, its asset is lost: \
              delete the item. If a notecard saves an appearance with it, save the appearance again.",
        fix_owner: "Try to rez the nested object on the old grid. If it rezzes, take it into your inventory on its own. If \
                    not, it is lost: delete the item.",
        source: "OpenSim, UuidGatherer.cs; InWorldz, Schedule of OARs",
    }

    OBJ010 "" "Link numbers are out of order" {
        about: Object,
        effect: Changes,
        message: "The link numbers do not run from 1 to N: {detail}",
        why: "Link numbers decide which prim is the root prim and how the others follow. With gaps or repeats, prims \
              may change places on loading. Scripts that address a link by number then reach another prim.",
        engines: [
            "OpenSimulator" => "Takes the first prim of the document as the root prim. Gives a prim without a number \
                its place in the document.",
        ],
        fix: "Relink the object with the right root prim, and export it again.",
        fix_owner: "Relink the object. In the viewer: Build > Unlink, select all prims with the root prim last, then \
              Build > Link.",
        source: "OpenSim, SceneObjectSerializer.cs, FromXml2Format; SceneObjectGroup.cs, SetRootPart and \
              AddPart",
    }

    OBJ011 "attach point" "Attachment is rezzed in the region" {
        about: InWorld,
        effect: Changes,
        check: attachment,
        message: "The object is rezzed in the region but marked as worn at attach point {measured}",
        why: "The state of a prim holds the attach point at which it is worn. In a region it is a remnant, or an \
              attachment was saved with the region.",
        engines: [
            "OpenSimulator" => "Does not move an attachment back into the region when RemoteAdmin loads it outside. \
                From the console it drops it, as any object outside (POS002).",
        ],
        fix: "Check that the object is where it should be. To clear the attach point, take the object and rez it \
              again.",
        fix_owner: "Check that the object is where it should be. To clear the attach point, take it and rez it \
              again. In the viewer: right-click > Take.",
        source: "OpenSim, SceneGraph.cs, AddRestoredSceneObject; SceneObjectGroup.cs, AttachmentPoint",
    }

    OBJ012 "levels" "Objects are deeply nested" {
        about: Object,
        effect: Loses,
        check: super::nesting::objects_in_objects,
        message: "Objects are nested {measured} levels deep, and from {limit} levels on they are at risk: {detail}",
        why: "Each level is an asset that only the level above names. Copying by hand, or with a tool that looks \
              only one level deep, loses deeper levels. When InWorldz closed, its owners were warned of this.",
        engines: [
            "OpenSimulator" => "Follows inventories to any depth when it saves an archive, if every asset on the way \
                can be fetched.",
        ],
        fix: "Rez the nested objects and export them separately, or check after the move that all arrived.",
        fix_owner: "Rez the nested objects and take them separately, or check after the move that all arrived.",
        source: "OpenSim, UuidGatherer.cs; InWorldz, Schedule of OARs",
    }

    OBJ013 "characters" "Saved script data will be lost" {
        about: Object,
        effect: Loses,
        message: "Part of the object's saved data cannot be restored: {detail}",
        why: "The object arrives without part of what its scripts stored. Linkset data that cannot be decoded is \
              dropped, and data over the limit is cut. A script whose saved state names no item starts anew.",
        engines: [
            "OpenSimulator" => "Also drops a motion along a path that it cannot decode. Only .NET can tell which; \
                from version 9 on it decodes none.",
        ],
        fix: "Export the object again, or let its scripts write their data again after the move.",
        fix_owner: "After the move, let the object's scripts write their data again.",
        source: "OpenSim, LinksetData.cs, FromXML and FromBin; SceneObjectGroup.cs, LoadScriptState; \
              KeyframeMotion.cs, FromData",
    }

    OBJ014 "" "Field stops the load" {
        about: Object,
        effect: Stops,
        message: "OpenSim gives up the load at a field of the object: {detail}",
        why: "OpenSim cannot read a field of a prim, or a prim has no Shape. It gives up the load as in OBJ001, \
              after it cleared the region. The load may run 60 s at full CPU before it stops. One cause is a decimal \
              comma from a server with another locale.",
        engines: [
            "OpenSimulator" => "Gives up a prim at a number, vector, mask or flag that it cannot read, and at an \
                element inside a text. Also at a color that lacks a channel or is outside of 0 to 255. A comment \
                inside a vector, and an empty tag for a UUID or a truth value, have the same effect. Broken fields \
                inside Shape and in inventories get a default (OBJ006).",
        ],
        fix: "`hullmark repair` mends it in a copy. Or repair the field in the object's XML before you \
              load the archive.",
        fix_owner: "Ask the operator of your grid to repair this field, or to export the object again.",
        source: "OpenSim, SceneObjectSerializer.cs, Xml2ToSOP; ExternalRepresentationUtils.cs, \
              ExecuteReadProcessors; Util.cs, ReadVector, ReadQuaternion and ReadEnum; SceneObjectGroup.cs, \
              IsAttachment",
    }

    OBJ015 "" "UUID occurs twice in an object" {
        about: InWorld,
        effect: Stops,
        check: uuid_twice_in_one_object,
        message: "The object repeats a UUID: {detail}",
        why: "OpenSim stores the prims of an object, and the items of a prim, by UUID and takes each UUID once. At a \
              repeated UUID it gives up the load, as in OBJ001. Prims or items without a UUID share the UUID zero.",
        engines: [
            "OpenSimulator" => "Loads all objects in one file of an archive as a single object, as in files of `save \
                xml2`.",
        ],
        fix: "`hullmark repair` mends it in a copy. Or give each prim and each item its own UUID in the \
              XML.",
        fix_owner: "Ask the operator of your grid to give the prims or items their own UUIDs, or to export the \
              object again.",
        source: "OpenSim, SceneObjectGroup.cs, AddPart; MapAndArray.cs, Add; SceneObjectSerializer.cs, \
              ReadTaskInventory",
    }

    OBJ016 "" "Field hangs the simulator" {
        about: Object,
        effect: Stops,
        message: "OpenSim never stops reading a field of the object: {detail}",
        why: "The loader reads X, Y, Z and W until the element of a rotation ends. At anything else it asks again \
              without reading on. One processor stays at full load, the console command never ends, and the region \
              is empty. You must end the simulator from outside, with all of its regions.",
        engines: [
            "OpenSimulator" => "Reads RotationOffset, SitTargetOrientation and SitTargetOrientationLL this way, in \
                inventories too. An empty tag, another element, a text or a comment in one of them is enough.",
        ],
        fix: "`hullmark repair` mends it in a copy. Or before you load the archive, take the object's file \
              out of it or repair the field in the XML.",
        fix_owner: "Ask the operator of your grid to repair this field before anybody loads the archive.",
        source: "OpenSim, Util.cs, ReadQuaternion; SceneObjectSerializer.cs, Xml2ToSOP; measured with 0.9.2.2",
    }
}

/// Tolerance, in metres, between an object and the position in its file name, which has whole metres.
const NAME_TOLERANCE_M: f64 = 1.0;

pub fn rezzed(ledger: &Ledger) -> impl Iterator<Item = (&ObjectFacts, &Part)> {
    let objects = ledger.objects.iter().filter(|object| object.role == Role::Rezzed);
    objects.filter_map(|object| Some((object, object.linkset.parts.first()?)))
}

/// Returns the advice on an object that is not XML.
pub(super) fn of_binary(finding: &Finding, reader: Reader) -> Option<&'static str> {
    (finding.aspect == BINARY).then_some(match reader {
        Reader::Operator => {
            "Ask the old grid for an export with its objects as XML: OpenSimulator reads nothing else. Or take the file \
             out of the archive."
        }
        Reader::Owner => "Ask the operator of the old grid for an export with this object as XML.",
    })
}

fn no_uuid(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    // Some exports of viewers never have UUIDs.
    for object in measured.ledger.objects.iter().filter(|object| object.layout.has_identities()) {
        let links = links(object.linkset.parts.iter().filter(|part| part.uuid.is_nil()));
        if !links.is_empty() {
            let count = counted(links.len() as u64, "prim");
            let detail = format!("{count} without a UUID: {}", at_links(&links));
            outcomes.push(at_object(object, Code::OBJ003).measured(links.len() as f64).detail(detail));
        }
    }
}

/// A part with the UUID of a part of an earlier object, both in a region. Copies in inventories share UUIDs and get new
/// ones when they are rezzed.
fn uuid_twice(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let mut first: HashMap<Uuid, &ObjectFacts> = HashMap::new();
    for (object, _) in rezzed(measured.ledger) {
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
            outcomes.push(at_object(object, Code::OBJ004).measured(doubles.len() as f64).detail(detail));
        }
    }
}

/// A part with the UUID of an earlier part of its object, or an item with the UUID of an earlier item of its part.
fn uuid_twice_in_one_object(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (object, _) in rezzed(measured.ledger) {
        if let Some(detail) = uuids_twice(object) {
            outcomes.push(at_object(object, Code::OBJ015).detail(detail));
        }
    }
    if is_archive(measured) {
        uuids_twice_in_one_file(measured, outcomes);
    }
}

/// OpenSim loads all parts in one file of an archive as a single object, across groups.
fn uuids_twice_in_one_file(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let mut before: HashSet<Uuid> = HashSet::new();
    let mut entry = "";
    for (object, _) in rezzed(measured.ledger) {
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
            outcomes.push(at_object(object, Code::OBJ015).detail(detail).aspect("file"));
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
fn ghosts(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let objects = &measured.ledger.objects;
    let in_regions = objects.iter().enumerate().filter(|(_, object)| object.role == Role::Rezzed);
    for ghosts in duplicates::at_one_position(in_regions) {
        let root = |number: usize| objects[number].linkset.parts.first();
        let (Some(first), Some(second)) = (root(ghosts[0]), root(ghosts[1])) else { continue };
        let [x, y, z] = second.group_position.to_array();
        let detail =
            format!("\"{}\" at {x:.3}, {y:.3}, {z:.3}; the first has UUID {}", second.name, first.uuid);
        let finding =
            at_object(&objects[ghosts[1]], Code::OBJ005).measured(ghosts.len() as f64).detail(detail);
        outcomes.push_for(ghosts.len(), finding);
    }
}

/// Files whose names have another UUID or position than their objects. One finding for the whole archive, because
/// edits by hand or by script usually change many files.
fn name_differs(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let differing: Vec<_> = rezzed(measured.ledger)
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
        outcomes.push(at_object(object, Code::OBJ008).measured(names.len() as f64).detail(detail));
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

fn attachment(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let worn = rezzed(measured.ledger).filter(|(_, root)| root.is_attachment());
    // OpenSim writes the attach point unchanged. The halves of the byte are swapped only in packets to viewers.
    outcomes.extend(worn.map(|(object, root)| at_object(object, Code::OBJ011).measured(root.state)));
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

//! The export of objects of Singularity and Imprudence, and an older one of Phoenix. Both are LLSD as XML.
//!
//! ```text
//! {data: [{root_position, root_rotation, group_body: {number: prim}}]}   llviewerobjectbackup.cpp, primbackup.cpp
//! {Header: {Version: 2}, Objects: [{ObjectPos, Object: [prim]}]}         exporttracker.cpp, importtracker.cpp
//! ```
//!
//! Prims of the first one are in a map, whose order is that of their numbers as texts. So the order of links is unknown
//! but for the root.

use super::{Objects, Read, fault, llsd_xml, prim, too_many_values};
use crate::{
    defect::{DocumentType, ViewerFault},
    llsd::{Map, Value},
    xml::{Source, Xml},
};
use glam::DVec3;

/// The newest version of the older export.
const VERSION: i64 = 2;

pub(super) fn read(bytes: &[u8], objects: &mut Objects<'_>) {
    let limits = objects.limits;
    let source = Source::new(bytes, DocumentType::Object);
    let mut xml = Xml::new(&source, limits.xml_depth);
    let document = match llsd_xml::read(&mut xml, limits.llsd_values) {
        Ok(document) => document,
        Err(fault) => return objects.defect(fault.defect(DocumentType::Object, 0)),
    };
    if document.is_cut {
        return objects.defect(too_many_values(limits));
    }
    let map = document.value.as_map();
    let list = |key: &str| map.and_then(|map| map.get(key)).and_then(Value::as_array);
    match (list("data"), list("Objects")) {
        (Some(groups), _) => groups.iter().zip(1..).for_each(|(group, number)| {
            read_group(group, number, objects);
        }),
        (None, Some(list)) => read_older(map, list, objects),
        (None, None) => objects.defect(fault(ViewerFault::Lacks { key: "data".into() })),
    }
}

/// Reads an object of the first format.
fn read_group(group: &Value<'_>, object: u64, objects: &mut Objects<'_>) {
    let Some(group) = group.as_map() else {
        return objects.defect(fault(ViewerFault::NoPrims { object }));
    };
    let body = group.get("group_body").and_then(Value::as_map).map(Map::iter).into_iter().flatten();
    let prims: Vec<&Map<'_>> = body.filter_map(|(_, prim)| prim.as_map()).collect();
    if !objects.has_room(prims.len()) {
        return;
    }
    let (children, roots): (Vec<_>, Vec<_>) = prims.into_iter().partition(|prim| prim.has("parent"));
    let [root] = roots[..] else {
        let roots = roots.len() as u64;
        return objects.defect(fault(ViewerFault::Roots { object, roots }));
    };
    let (mut first, defects) = prim::read(root, true);
    // The importer takes the place of the root from here.
    if let Some(position) = group.get("root_position").and_then(vector) {
        first.group_position = position;
    }
    let mut parts = vec![(first, defects)];
    parts.extend(children.into_iter().map(|child| prim::read(child, false)));
    objects.add(parts);
}

fn read_older(map: Option<&Map<'_>>, list: &[Value<'_>], objects: &mut Objects<'_>) {
    let header = map.and_then(|map| map.get("Header")).and_then(Value::as_map);
    let version = header.and_then(|header| prim::integer(header.get("Version")));
    match version {
        Some(VERSION) => {}
        Some(version) => return objects.defect(fault(ViewerFault::OtherVersion { version })),
        None => return objects.defect(fault(ViewerFault::Lacks { key: "Version".into() })),
    }
    for (element, object) in list.iter().zip(1..) {
        let at = element.as_map().and_then(|map| map.get("ObjectPos")).and_then(vector);
        let prims = element.as_map().and_then(|map| map.get("Object")).and_then(Value::as_array);
        let prims = prims.or_else(|| element.as_array()).unwrap_or_default();
        if !objects.has_room(prims.len()) {
            return;
        }
        let mut parts: Vec<Read> = Vec::new();
        for map in prims.iter().filter_map(Value::as_map) {
            let mut read = prim::read(map, parts.is_empty());
            read.0.uuid = prim::uuid(map.get("id")).unwrap_or_default();
            parts.push(read);
        }
        match &mut parts[..] {
            [] => objects.defect(fault(ViewerFault::NoPrims { object })),
            // The importer adds the place of the root to the children. Another exporter wrote places in the region.
            [(root, _), _, ..] if root.group_position != DVec3::ZERO => {
                objects.defect(fault(ViewerFault::Places { object }));
            }
            [(root, _), ..] => {
                root.group_position += at.unwrap_or_default();
                objects.add(parts);
            }
        }
    }
}

fn vector(value: &Value<'_>) -> Option<DVec3> {
    let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    <[f64; 3]>::try_from(numbers?).ok().map(DVec3::from_array)
}

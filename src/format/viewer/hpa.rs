//! HPA: the export of objects of Phoenix and Hippo, in XML of its own.
//!
//! The layout follows `exporttracker.cpp` and its importer. Places and rotations are those in the region, also of
//! children. A twist is a part of its maximum times 180, for every path. The file has no link numbers, no shape types
//! and no UUIDs of prims. It has no cut of a straight path.

use super::{Objects, Read, fault, llsd_xml, volume::Volume};
use crate::{
    defect::{Defect, DocumentType, FieldFault, ObjectDefect, ViewerFault},
    object::{Item, Part, Sculpt, normalised_or_none, part::flag},
    reference::Use,
    xml::{Element, Result, Source, Xml, excerpt, parse_uuid},
};
use glam::{DQuat, DVec3};
use hullmark_geometry::curve;
use uuid::Uuid;

/// Degrees of the greatest twist.
const TWIST: f64 = 180.0;

/// Type of a tree and of grass.
const TREE: u8 = 255;
const GRASS: u8 = 95;

pub(super) fn read(bytes: &[u8], objects: &mut Objects<'_>) {
    let source = Source::new(bytes, DocumentType::Object);
    let mut reader = HpaReader { xml: Xml::new(&source, objects.limits.xml_depth), objects, items: 0 };
    if let Err(fault) = reader.project() {
        let parts = reader.objects.parts;
        reader.objects.defect(fault.defect(DocumentType::Object, parts));
    }
}

fn is_prim(name: &str) -> bool {
    matches!(
        name,
        "box" | "cylinder" | "prism" | "sphere" | "torus" | "tube" | "ring" | "sculpt" | "tree" | "grass"
    )
}

fn is_round(name: &str) -> bool {
    matches!(name, "sphere" | "torus" | "tube" | "ring" | "sculpt")
}

struct HpaReader<'x, 'a, 'o> {
    xml: Xml<'a>,
    objects: &'x mut Objects<'o>,
    /// Items in the contents of all prims so far.
    items: usize,
}

impl HpaReader<'_, '_, '_> {
    fn project(&mut self) -> Result<()> {
        let root = self.xml.root()?;
        if root.name() != "project" {
            return Err(llsd_xml::other_root(&self.xml, root.name()));
        }
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "group" => self.group()?,
                "schema" => {
                    let schema = self.xml.text()?;
                    if !schema.trim_ascii().starts_with("1.") {
                        let schema = excerpt(&schema);
                        self.objects.defect(fault(ViewerFault::Schema { schema }));
                        return Ok(());
                    }
                }
                _ => self.xml.skip()?,
            }
        }
        self.xml.finish()
    }

    /// Reads a group, which may have further groups. Each takes a number and no step of the stack.
    fn group(&mut self) -> Result<()> {
        let mut open = 1_usize;
        while open > 0 {
            let Some(element) = self.xml.child()? else {
                open -= 1;
                continue;
            };
            match element.name() {
                "group" => open += 1,
                "linkset" => self.linkset()?,
                name if is_prim(name) => {
                    let part = self.prim(name)?;
                    self.objects.add(vec![part]);
                }
                _ => self.xml.skip()?,
            }
        }
        Ok(())
    }

    fn linkset(&mut self) -> Result<()> {
        let mut parts: Vec<Read> = Vec::new();
        while let Some(element) = self.xml.child()? {
            match element.name() {
                name if is_prim(name) && self.objects.has_room(parts.len() + 1) => {
                    let part = self.prim(name)?;
                    parts.push(part);
                }
                _ => self.xml.skip()?,
            }
        }
        let Some(((root, _), children)) = parts.split_first_mut() else { return Ok(()) };
        if self.objects.is_full {
            // Its last parts may be missing.
            return Ok(());
        }
        let back = root.rotation.inverse();
        for (child, _) in children {
            child.offset_position = back * (child.group_position - root.group_position);
            child.rotation = back * child.rotation;
            child.group_position = root.group_position;
        }
        self.objects.add(parts);
        Ok(())
    }

    fn prim(&mut self, name: &str) -> Result<Read> {
        let mut prim = Prim::new(name);
        while let Some(element) = self.xml.child()? {
            match element.name() {
                "name" => prim.part.name = unwrapped(self.xml.name()?),
                "sculptmap_uuid" => prim.sculpt.asset = parse_uuid(&self.xml.text()?).unwrap_or_default(),
                "texture" => self.faces(&mut prim.part)?,
                "inventory" => self.inventory(&mut prim.part)?,
                _ => {
                    prim.parameter(name, &element);
                    self.xml.skip()?;
                }
            }
        }
        Ok(prim.finish(name))
    }

    fn faces(&mut self, part: &mut Part) -> Result<()> {
        while self.xml.child()?.is_some() {
            while let Some(element) = self.xml.child()? {
                if element.name() == "image_uuid" {
                    let texture = parse_uuid(&self.xml.text()?);
                    part.references.extend(texture.map(|texture| Use::Texture.reference(texture)));
                } else {
                    self.xml.skip()?;
                }
            }
        }
        Ok(())
    }

    /// Reads the items. The file has only their names and types.
    fn inventory(&mut self, part: &mut Part) -> Result<()> {
        while self.xml.child()?.is_some() {
            let mut item = Item { asset_type: -1, inventory_type: -1, ..Item::default() };
            while let Some(element) = self.xml.child()? {
                match element.name() {
                    "name" => item.name = unwrapped(self.xml.name()?),
                    "item_id" => item.uuid = parse_uuid(&self.xml.text()?).unwrap_or_default(),
                    "type" => {
                        let name = self.xml.text()?.into_owned().into_bytes();
                        let name = crate::llsd::Value::String(name.into());
                        item.asset_type = super::inventory::asset_type(Some(&name));
                    }
                    _ => self.xml.skip()?,
                }
            }
            self.items += 1;
            if self.items <= self.objects.limits.items {
                part.inventory.push(item);
            } else {
                // So that no object with a part of its items is added.
                self.objects.items = self.items;
            }
        }
        Ok(())
    }
}

/// A prim while its parameters are read.
struct Prim {
    part: Part,
    volume: Volume,
    sculpt: Sculpt,
    /// Cuts that the building tool shows as *path cut* and as *profile cut* or *dimple*.
    cut: [f64; 2],
    further_cut: [f64; 2],
    has_position: bool,
    has_size: bool,
    defects: Vec<Defect>,
}

impl Prim {
    fn new(name: &str) -> Self {
        let profile = match name {
            "cylinder" | "torus" | "sculpt" => curve::CIRCLE,
            "prism" | "ring" => curve::EQUILATERAL,
            "sphere" => curve::HALF_CIRCLE,
            _ => curve::SQUARE,
        };
        let path = if is_round(name) { curve::CIRCLE_PATH } else { curve::LINE };
        Self {
            part: Part::default(),
            volume: Volume { profile, path, ..Volume::default() },
            sculpt: Sculpt { asset: Uuid::nil(), kind: 0 },
            cut: [0.0, 1.0],
            further_cut: [0.0, 1.0],
            has_position: false,
            has_size: false,
            defects: Vec::new(),
        }
    }

    fn parameter(&mut self, form: &str, element: &Element<'_>) {
        let xy = ["x", "y"];
        let ends = ["begin", "end"];
        match element.name() {
            "position" => {
                self.has_position = self.take(element, ["x", "y", "z"], |prim, place| {
                    prim.part.group_position = DVec3::from_array(place);
                });
            }
            "size" => {
                self.has_size = self.take(element, ["x", "y", "z"], |prim, size| {
                    prim.part.scale = DVec3::from_array(size);
                });
            }
            "rotation" => {
                _ = self.take(element, ["x", "y", "z", "w"], |prim, raw| {
                    let raw = DQuat::from_array(raw);
                    prim.part.rotation = normalised_or_none(raw).unwrap_or_default();
                    prim.part.rotation_length = raw.length() as f32;
                });
            }
            "top_shear" => _ = self.take(element, xy, |prim, shear| prim.volume.shear = shear),
            "taper" if is_round(form) => _ = self.take(element, xy, |prim, taper| prim.volume.taper = taper),
            "taper" => {
                _ = self.take(element, xy, |prim, taper| {
                    prim.volume.scale = taper.map(|taper| 1.0 - taper);
                });
            }
            "hole_size" => _ = self.take(element, xy, |prim, size| prim.volume.scale = size),
            "path_cut" => _ = self.take(element, ends, |prim, cut| prim.cut = cut),
            "profile_cut" | "dimple" => _ = self.take(element, ends, |prim, cut| prim.further_cut = cut),
            "twist" => {
                _ = self.take(element, ends, |prim, twist| {
                    prim.volume.twist = twist.map(|degrees| degrees / TWIST);
                });
            }
            "skew" => _ = self.take(element, ["val"], |prim, [skew]| prim.volume.skew = skew),
            "radius_offset" => {
                _ = self.take(element, ["val"], |prim, [offset]| prim.volume.radius_offset = offset);
            }
            "revolutions" => {
                _ = self.take(element, ["val"], |prim, [turns]| prim.volume.revolutions = turns);
            }
            "hollow" => {
                _ = self.take(element, ["amount", "shape"], |prim, [percent, hole]| {
                    prim.volume.hollow = percent / 100.0;
                    prim.volume.profile |= hole_bits(hole as u8);
                });
            }
            "topology" => _ = self.take(element, ["val"], |prim, [kind]| prim.sculpt.kind = kind as u8),
            "type" => _ = self.take(element, ["val"], |prim, [species]| prim.part.state = species as u8),
            "phantom" if is_true(element) => self.part.flags |= flag::PHANTOM,
            "physical" if is_true(element) => self.part.flags |= flag::PHYSICS,
            "flexible" => {
                self.part.shape.flexi_entry = true;
                self.volume.path = curve::FLEXIBLE;
            }
            _ => {}
        }
    }

    /// Passes the numbers of attributes on. Reports a missing one, and returns whether all are there.
    fn take<const N: usize>(
        &mut self,
        element: &Element<'_>,
        names: [&str; N],
        set: impl FnOnce(&mut Self, [f64; N]),
    ) -> bool {
        let values = names.map(|name| number(element, name));
        let read = values.iter().flatten().count();
        if read < N {
            let why = FieldFault::TooFew { read: read as u64, all: N as u64 };
            let field = excerpt(element.name());
            self.defects.push(Defect::new(ObjectDefect::Field { why }).within(field));
            return false;
        }
        set(self, values.map(Option::unwrap_or_default));
        true
    }

    fn finish(mut self, form: &str) -> Read {
        let (path, profile) = match form {
            "sphere" | "torus" | "tube" | "ring" => (self.cut, self.further_cut),
            _ => (self.further_cut, self.cut),
        };
        (self.volume.path_cut, self.volume.profile_cut) = (path, profile);
        let flexi = self.part.shape.flexi_entry;
        match form {
            "tree" => self.part.shape.pcode = TREE,
            "grass" => self.part.shape.pcode = GRASS,
            _ => {
                self.part.shape = self.volume.pack();
                self.part.state = 0;
            }
        }
        self.part.shape.flexi_entry = flexi;
        if form == "sculpt" {
            self.part.shape.sculpt = Some(self.sculpt);
        }
        for (is_there, field) in [(self.has_position, "position"), (self.has_size, "size")] {
            let is_reported = self.defects.iter().any(|defect| defect.place.within == field);
            if !is_there && !is_reported {
                let why = FieldFault::Missing { taken: "of a new prim".into() };
                self.defects.push(Defect::new(ObjectDefect::Field { why }).within(field));
            }
        }
        (self.part, self.defects)
    }
}

/// Returns the bits of a hole in the profile: 1 as the form, 2 square, 3 circle, 4 triangle.
fn hole_bits(hole: u8) -> u8 {
    match hole {
        2 => 0x20,
        3 => 0x10,
        4 => 0x30,
        _ => 0,
    }
}

fn number(element: &Element<'_>, name: &str) -> Option<f64> {
    let number: f64 = element.attribute(name)?.trim_ascii().parse().ok()?;
    number.is_finite().then_some(number)
}

fn is_true(element: &Element<'_>) -> bool {
    element.attribute("val").is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case("true"))
}

/// Removes the marks of a section that an exporter wrote as text.
fn unwrapped(text: String) -> String {
    let inner = text.trim_ascii().strip_prefix("<![CDATA[").and_then(|text| text.strip_suffix("]]>"));
    inner.map(str::to_owned).unwrap_or(text)
}

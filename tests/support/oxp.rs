//! Writes OXP files as Firestorm does.

use super::{llsd::Llsd, mesh::deflate};
use hullmark_format::{
    object::{Item, Linkset, Part, Permissions, Shape},
    reference::Use,
};
use uuid::Uuid;

/// An export: its objects and assets.
#[derive(Debug, Default, Clone)]
pub struct Oxp {
    pub linksets: Vec<Linkset>,
    /// UUID, name of the type in viewers, and bytes.
    pub assets: Vec<(Uuid, &'static str, Vec<u8>)>,
}

impl Oxp {
    /// Returns an export of these objects, without assets.
    pub fn of(linksets: &[Linkset]) -> Self {
        Self { linksets: linksets.to_vec(), ..Self::default() }
    }

    /// Returns the bytes of the file.
    pub fn encode(&self) -> Vec<u8> {
        deflate(&self.llsd().encode())
    }

    /// Returns the content of the file.
    pub fn llsd(&self) -> Llsd {
        let parts = || self.linksets.iter().flat_map(|linkset| &linkset.parts);
        let ids = |linkset: &Linkset| linkset.parts.iter().map(|part| Llsd::Uuid(part.uuid)).collect();
        let prims = self.linksets.iter().flat_map(|linkset| {
            let prims = linkset.parts.iter().enumerate();
            prims.map(|(index, part)| {
                (part.uuid.to_string(), prim(part, (index > 0).then(|| linkset.parts[0].uuid)))
            })
        });
        let items = parts().flat_map(|part| &part.inventory);
        let asset = |(uuid, kind, data): &(Uuid, &'static str, Vec<u8>)| {
            let asset = [("type", Llsd::text(kind)), ("data", Llsd::Bytes(data.clone()))];
            (uuid.to_string(), Llsd::map(asset))
        };
        let mut entries = vec![
            ("client".to_owned(), Llsd::text("Firestorm")),
            ("format_version".into(), Llsd::Int(2)),
            ("grid".into(), Llsd::text("Second Life")),
            (
                "inventory".into(),
                Llsd::Map(items.map(|item| (item.uuid.to_string(), self::item(item))).collect()),
            ),
            (
                "linkset".into(),
                Llsd::Array(self.linksets.iter().map(|linkset| Llsd::Array(ids(linkset))).collect()),
            ),
            ("prim".into(), Llsd::Map(prims.collect())),
        ];
        if !self.assets.is_empty() {
            entries.insert(0, ("asset".into(), Llsd::Map(self.assets.iter().map(asset).collect())));
        }
        Llsd::Map(entries)
    }
}

fn bits(bits: u32) -> Llsd {
    Llsd::Bytes(bits.to_be_bytes().to_vec())
}

/// Returns a prim. A placeholder has only what Firestorm writes for one.
fn prim(part: &Part, root: Option<Uuid>) -> Llsd {
    let position = if root.is_none() { part.group_position } else { part.offset_position };
    let [path, profile] = volume(&part.shape);
    let mut entries = vec![
        ("flags".to_owned(), bits(part.flags)),
        ("material".into(), Llsd::Int(3)),
        ("position".into(), Llsd::reals(position.to_array())),
        ("rotation".into(), Llsd::reals(part.rotation.to_array())),
        ("scale".into(), Llsd::reals(part.scale.to_array())),
        ("volume".into(), Llsd::map([("path", path), ("profile", profile)])),
    ];
    entries.extend(root.map(|root| ("parent".to_owned(), Llsd::Uuid(root))));
    if part.state != 0 {
        entries.push(("attachment_point".into(), Llsd::Int(part.state.rotate_left(4).into())));
    }
    if part.placeholder {
        return Llsd::Map(entries);
    }
    let created = (part.created as u64 * 1_000_000).to_be_bytes();
    entries.extend([
        ("content".into(), Llsd::Array(part.inventory.iter().map(|item| Llsd::Uuid(item.uuid)).collect())),
        ("creation_date".into(), Llsd::Bytes(created.to_vec())),
        ("creator_id".into(), Llsd::Uuid(part.creator)),
        ("group_id".into(), Llsd::Uuid(part.group)),
        ("last_owner_id".into(), Llsd::Uuid(part.last_owner)),
        ("name".into(), Llsd::text(&part.name)),
        ("owner_id".into(), Llsd::Uuid(part.owner)),
    ]);
    if let Some(Permissions { base, owner, everyone, next_owner }) = part.permissions {
        let masks = [
            ("base_mask", base),
            ("owner_mask", owner),
            ("everyone_mask", everyone),
            ("next_owner_mask", next_owner),
        ];
        entries.extend(masks.map(|(key, mask)| (key.to_owned(), bits(mask))));
    }
    if let Some(kind) = part.physics_shape_type {
        let physics = [("PhysicsShapeType", Llsd::Int(kind.into())), ("Density", Llsd::Real(1000.0))];
        entries.push(("ExtraPhysics".into(), Llsd::map(physics)));
    }
    if let Some(sculpt) = part.shape.sculpt {
        let sculpt = [("texture", Llsd::Uuid(sculpt.asset)), ("type", Llsd::Int(sculpt.kind.into()))];
        entries.push(("sculpt".into(), Llsd::map(sculpt)));
    }
    if part.shape.flexi_entry {
        entries.push(("flexible".into(), Llsd::map([("gravity", Llsd::Real(0.3))])));
    }
    entries.extend(references(part));
    Llsd::Map(entries)
}

fn references(part: &Part) -> Vec<(String, Llsd)> {
    let of = |what: Use| part.references.iter().filter(move |reference| reference.what == what);
    let face = |id: Uuid| Llsd::map([("imageid", Llsd::Uuid(id)), ("bump", Llsd::Int(0))]);
    let faces = of(Use::Texture).map(|reference| face(reference.asset)).collect();
    let mut entries = vec![("texture".to_owned(), Llsd::Array(faces))];
    let material = |key: &'static str| move |id: Uuid| Llsd::map([(key, Llsd::Uuid(id))]);
    let normal = of(Use::NormalMap).map(|reference| material("NormMap")(reference.asset));
    let specular = of(Use::SpecularMap).map(|reference| material("SpecMap")(reference.asset));
    entries.push(("materials".into(), Llsd::Array(normal.chain(specular).collect())));
    // Firestorm writes this UUID as a text if the texture may not be exported.
    let particle = of(Use::Particle)
        .map(|reference| Llsd::map([("PartImageID", Llsd::text(&reference.asset.to_string()))]));
    entries.extend(particle.map(|particle| ("particle".to_owned(), particle)));
    let light = of(Use::Projector).map(|reference| Llsd::map([("texture", Llsd::Uuid(reference.asset))]));
    entries.extend(light.map(|light| ("light_texture".to_owned(), light)));
    entries
}

/// Returns path and profile in the numbers of viewers: 32-bit floats, computed as a viewer unpacks them.
fn volume(shape: &Shape) -> [Llsd; 2] {
    let real = |value: f32| Llsd::Real(value.into());
    let signed = |steps: i8| real(f32::from(steps) * 0.01);
    let begin = |steps: u16| real(f32::from(steps) * 0.000_02);
    let end = |steps: u16| real((50_000.0 - f32::from(steps)) * 0.000_02);
    let scale = |steps: u8| real((200.0 - f32::from(steps)) * 0.01);
    let path = Llsd::map([
        ("begin", begin(shape.path_begin)),
        ("curve", Llsd::Int(shape.path_curve.into())),
        ("end", end(shape.path_end)),
        ("radius_offset", signed(shape.path_radius_offset)),
        ("revolutions", real(f32::from(shape.path_revolutions) * 0.015 + 1.0)),
        ("scale_x", scale(shape.path_scale_x)),
        ("scale_y", scale(shape.path_scale_y)),
        ("shear_x", signed(shape.path_shear_x as i8)),
        ("shear_y", signed(shape.path_shear_y as i8)),
        ("skew", signed(shape.path_skew)),
        ("taper_x", signed(shape.path_taper_x)),
        ("taper_y", signed(shape.path_taper_y)),
        ("twist", signed(shape.path_twist)),
        ("twist_begin", signed(shape.path_twist_begin)),
    ]);
    let profile = Llsd::map([
        ("begin", begin(shape.profile_begin)),
        ("curve", Llsd::Int(shape.profile_curve.into())),
        ("end", end(shape.profile_end)),
        ("hollow", begin(shape.profile_hollow)),
    ]);
    [path, profile]
}

/// Returns an item: a script or a texture.
fn item(item: &Item) -> Llsd {
    let kind = if item.asset_type == 10 { ("lsltext", "script") } else { ("texture", "texture") };
    let mut entries = vec![
        ("asset_id".to_owned(), Llsd::Uuid(item.asset)),
        ("inv_type".into(), Llsd::text(kind.1)),
        ("item_id".into(), Llsd::Uuid(item.uuid)),
        ("name".into(), Llsd::text(&item.name)),
        ("type".into(), Llsd::text(kind.0)),
    ];
    let mut permissions = vec![
        ("creator_id".to_owned(), Llsd::Uuid(item.creator)),
        ("owner_id".into(), Llsd::Uuid(item.owner)),
    ];
    if let Some(masks) = item.permissions {
        let names = ["base_mask", "owner_mask", "everyone_mask", "next_owner_mask"];
        let masks = <[u32; 4]>::from(masks).map(|mask| Llsd::Int(mask as i32));
        permissions.extend(names.map(String::from).into_iter().zip(masks));
    }
    entries.push(("permissions".into(), Llsd::Map(permissions)));
    Llsd::Map(entries)
}

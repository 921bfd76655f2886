//! The uses of assets in an input, present or not: as which type, how often, and where first.

use hullmark_finding::Place;
use hullmark_format::{object::Part, reference::Use};
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, Content, ItemFacts, ObjectFacts, Role},
};
use std::collections::{BTreeMap, HashMap};
use uuid::Uuid;

/// Every asset that an input certainly references, by its UUID, without the nil UUID.
pub type Uses<'a> = BTreeMap<Uuid, Used<'a>>;

#[derive(Debug, Clone, Copy)]
pub struct Used<'a> {
    /// Kind of the asset according to its first use: one or two words for people.
    pub kind: &'static str,
    pub count: u32,
    /// Whether a part of a rezzed object, or land, shows or plays the asset.
    pub in_world: bool,
    pub by_items_only: bool,
    /// First user in the order of the input: objects, then inventory items, then texts, then land.
    pub first: User<'a>,
}

#[derive(Debug, Clone, Copy)]
pub enum User<'a> {
    Part(&'a ObjectFacts, &'a Part),
    Text(&'a AssetFacts),
    Item(&'a str),
    /// Another entry of the input: the settings of a region, or a parcel.
    Entry(&'a str),
}

impl User<'_> {
    pub fn place(self) -> Place {
        match self {
            Self::Text(asset) => Place { entry: asset.entry.to_string(), ..Place::default() },
            Self::Item(entry) | Self::Entry(entry) => Place { entry: entry.into(), ..Place::default() },
            Self::Part(object, part) => Place {
                entry: object.entry.clone(),
                object: object.linkset.parts.first().map(|root| root.uuid),
                part: Some(part.uuid),
                link_number: Some(part.link_number),
                ..Place::default()
            },
        }
    }
}

pub fn collect<'a>(ledger: &'a Ledger) -> Uses<'a> {
    let mut uses = Uses::new();
    let mut add = |asset: Uuid, kind: &'static str, user: User<'a>, in_world: bool| {
        if !asset.is_nil() {
            let new = Used { kind, count: 0, in_world: false, by_items_only: true, first: user };
            let used = uses.entry(asset).or_insert(new);
            used.count += 1;
            used.in_world |= in_world;
            used.by_items_only &= matches!(user, User::Item(_));
        }
    };
    for object in &ledger.objects {
        let in_world = object.role != Role::Nested;
        for part in &object.linkset.parts {
            let user = User::Part(object, part);
            shown_by(part).for_each(|(asset, kind)| add(asset, kind, user, in_world));
            contained_in(part).for_each(|(asset, kind)| add(asset, kind, user, false));
        }
    }
    for ItemFacts { entry, item } in &ledger.items {
        kind_of_item(item.asset_type)
            .into_iter()
            .for_each(|kind| add(item.asset, kind, User::Item(entry), false));
    }
    for asset in &ledger.assets {
        if let Content::Text(text) = &asset.content {
            let kind = named_by(asset.suffix().unwrap_or_default());
            for &named in &text.references {
                let kind = text.appearance.get(&named).map_or(kind, |&what| kind_of_use(what));
                add(named, kind, User::Text(asset), false);
            }
        }
    }
    for region in &ledger.regions {
        let user = User::Entry(&region.folder);
        for reference in region.settings.iter().flat_map(|settings| &settings.references) {
            add(reference.asset, kind_of_use(reference.what), user, true);
        }
        for parcel in &region.parcels {
            let user = User::Entry(&parcel.entry);
            for reference in &parcel.parcel.references {
                add(reference.asset, kind_of_use(reference.what), user, true);
            }
        }
    }
    uses
}

pub(super) fn first_items(ledger: &Ledger) -> HashMap<Uuid, &ItemFacts> {
    let mut first = HashMap::new();
    for facts in ledger.items.iter().filter(|facts| kind_of_item(facts.item.asset_type).is_some()) {
        first.entry(facts.item.asset).or_insert(facts);
    }
    first
}

fn shown_by(part: &Part) -> impl Iterator<Item = (Uuid, &'static str)> {
    let mesh = part.mesh().map(|asset| (asset, "mesh"));
    let map = part.sculpt_map().map(|asset| (asset, "sculpt map"));
    let references = part.references.iter().map(|reference| (reference.asset, kind_of_use(reference.what)));
    mesh.into_iter().chain(map).chain(references)
}

fn contained_in(part: &Part) -> impl Iterator<Item = (Uuid, &'static str)> {
    part.inventory.iter().filter_map(|item| Some((item.asset, kind_of_item(item.asset_type)?)))
}

/// Returns the assets that the parts of an object and their inventories use. An asset may appear several times.
pub fn of_object(object: &ObjectFacts) -> impl Iterator<Item = Uuid> {
    let parts = object.linkset.parts.iter();
    parts.flat_map(|part| shown_by(part).chain(contained_in(part))).map(|(asset, _)| asset)
}

pub(super) fn words_of_use(what: Use) -> &'static str {
    match what {
        Use::NormalMap => "normal map",
        Use::SpecularMap => "specular map",
        Use::RenderMaterial => "PBR material",
        Use::Particle => "particle texture",
        Use::Projector => "projected texture",
        Use::CollisionSound => "collision sound",
        Use::GroundTexture => "ground texture",
        Use::GroundMaterial => "PBR material of the ground",
        Use::MediaTexture => "media texture",
        Use::Snapshot => "picture",
        Use::Attachment => "attachment",
        Use::Texture | Use::Material | Use::Sound | Use::Animation | Use::BodyPart | Use::Clothing => {
            kind_of_use(what)
        }
    }
}

fn kind_of_use(what: Use) -> &'static str {
    match what {
        Use::Texture
        | Use::NormalMap
        | Use::SpecularMap
        | Use::Particle
        | Use::Projector
        | Use::GroundTexture
        | Use::MediaTexture
        | Use::Snapshot => "texture",
        Use::Material | Use::RenderMaterial | Use::GroundMaterial => "material",
        Use::CollisionSound | Use::Sound => "sound",
        Use::Animation => "animation",
        Use::BodyPart => "body part",
        Use::Clothing => "piece of clothing",
        Use::Attachment => "object",
    }
}

/// Returns the kind of asset that an item with this asset type refers to.
///
/// `None` if the item needs no asset: a calling card refers to a person, a link to another item, a folder or an outfit
/// to nothing.
pub fn kind_of_item(asset_type: i32) -> Option<&'static str> {
    Some(match asset_type {
        0 | 12 | 18 | 19 => "texture",
        1 | 17 => "sound",
        3 => "landmark",
        5 => "piece of clothing",
        6 => "object",
        7 => "notecard",
        10 => "script",
        13 => "body part",
        20 => "animation",
        21 => "gesture",
        49 => "mesh",
        56 => "set of settings",
        57 => "material",
        2 | 8 | 24..=26 | 45..=48 | 255 | ..0 => return None,
        _ => "asset",
    })
}

pub fn kind_of_suffix(suffix: &str) -> &'static str {
    match suffix {
        "_texture.jp2" | "_texture.tga" | "_image.jpg" | "_image.tga" => "texture",
        "_sound.ogg" | "_sound.wav" => "sound",
        "_animation.bvh" => "animation",
        "_landmark.txt" => "landmark",
        "_clothing.txt" => "piece of clothing",
        "_bodypart.txt" => "body part",
        "_object.xml" => "object",
        "_notecard.txt" => "notecard",
        "_script.lsl" => "script",
        "_gesture.txt" => "gesture",
        "_mesh.llmesh" => "mesh",
        "_settings.bin" => "set of settings",
        "_material.xml" | "_prmat.dat" => "material",
        _ => "asset",
    }
}

/// Returns the suffix that assets of a kind have. `None` if they may have several.
pub fn suffix_of_kind(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "texture" | "sculpt map" => "_texture.jp2",
        "sound" => "_sound.ogg",
        "animation" => "_animation.bvh",
        "landmark" => "_landmark.txt",
        "piece of clothing" => "_clothing.txt",
        "body part" => "_bodypart.txt",
        "object" => "_object.xml",
        "notecard" => "_notecard.txt",
        "script" => "_script.lsl",
        "gesture" => "_gesture.txt",
        "mesh" => "_mesh.llmesh",
        "set of settings" => "_settings.bin",
        _ => return None,
    })
}

/// Returns the kind of asset that a text with this suffix references: gestures and notecards reference any kind.
fn named_by(suffix: &str) -> &'static str {
    match suffix {
        "_clothing.txt" | "_bodypart.txt" | "_material.xml" | "_prmat.dat" | "_settings.bin" => "texture",
        _ => "asset",
    }
}

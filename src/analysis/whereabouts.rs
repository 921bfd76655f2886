//! The places of one thing in an input: an asset with all its uses, or everything with a UUID or a name.

use crate::asset_uses::{kind_of_item, kind_of_suffix, words_of_use};
use hullmark_format::{object::Part, reference::Reference};
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, Content, ItemFacts, ObjectFacts, RegionFacts, Role},
    index::Sought,
};
use serde::Serialize;
use std::collections::HashMap;
use uuid::Uuid;

/// How a place relates to the thing that is looked for. The declared order is the order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Relation {
    /// The input holds the asset itself.
    #[default]
    Holds,
    /// It is the thing: an object, a part, an item, a region or a parcel with the UUID or the name.
    Is,
    /// It shows, plays or refers to the asset.
    Uses,
    /// An item in an inventory refers to the asset.
    Contains,
    /// A text has the UUID in a place of any meaning.
    Mentions,
}

/// A place of the thing.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// Path of the input.
    pub archive: String,
    /// How the place relates to the thing.
    pub relation: Relation,
    /// What the thing is there: `object`, `part`, `item`, `region`, `parcel`, `texture`, `mesh`, `sculpt map` and so on.
    pub kind: String,
    /// Name of the region; `None` outside of regions.
    pub region: Option<String>,
    /// Position of the object in the region, in metres.
    pub position_m: Option<[f64; 3]>,
    /// Name of the object.
    pub object: Option<String>,
    /// UUID of the object: of its root prim.
    pub object_uuid: Option<Uuid>,
    /// Link number of the part.
    pub link_number: Option<i32>,
    /// Name of the part.
    pub part: Option<String>,
    /// UUID of the part.
    pub part_uuid: Option<Uuid>,
    /// Name of the inventory item.
    pub item: Option<String>,
    /// UUID of the thing at this place: of the object, the item, the parcel and so on.
    pub uuid: Option<Uuid>,
    /// Name of the parcel.
    pub parcel: Option<String>,
    /// Entry of the input: the member of an archive, or the place in a database.
    pub entry: String,
    /// Size of the asset in bytes, if the input holds it.
    pub bytes: Option<u64>,
    /// Number of places in this row. Places of one object, and things of one name in a region, share a row.
    pub count: u64,
    /// Whether the whole name matches. `None` for a UUID.
    pub exact: Option<bool>,
}

/// What places of one row have in common.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key {
    relation: Relation,
    kind: String,
    region: Option<String>,
    object: Option<Uuid>,
    name: Option<String>,
    entry: Option<String>,
}

/// Returns the places of a thing in an input, in the order of its facts.
pub fn find(ledger: &Ledger, sought: &Sought) -> Vec<Found> {
    let mut search = Search { ledger, sought, found: Vec::new(), rows: HashMap::new() };
    search.assets();
    ledger.regions.iter().for_each(|region| search.region(region));
    ledger.objects.iter().for_each(|object| search.object(object));
    search.items();
    search.found
}

struct Search<'a> {
    ledger: &'a Ledger,
    sought: &'a Sought,
    found: Vec<Found>,
    rows: HashMap<Key, usize>,
}

impl Search<'_> {
    fn is_asset(&self, asset: Uuid) -> bool {
        *self.sought == Sought::Uuid(asset)
    }

    /// Whether a thing with this UUID and name is looked for. For a name, returns whether all of it matches.
    fn is(&self, uuid: Uuid, name: &str) -> Option<Option<bool>> {
        match self.sought {
            Sought::Uuid(sought) => (*sought == uuid).then_some(None),
            Sought::Name(sought) => {
                let name = name.to_lowercase();
                name.contains(sought).then(|| Some(name == *sought))
            }
        }
    }

    /// Adds a place, or counts it in a row that says the same.
    fn add(&mut self, found: Found) {
        let is_named = matches!(self.sought, Sought::Name(_));
        let name =
            found.item.as_ref().or(found.part.as_ref()).or(found.object.as_ref()).or(found.parcel.as_ref());
        let key = Key {
            relation: found.relation,
            kind: found.kind.clone(),
            region: found.region.clone(),
            object: found.object_uuid.filter(|_| !is_named),
            name: if is_named { name.cloned() } else { found.item.clone() },
            entry: (!is_named && found.object_uuid.is_none()).then(|| found.entry.clone()),
        };
        match self.rows.get(&key) {
            Some(&row) => self.found[row].count += 1,
            None => {
                self.rows.insert(key, self.found.len());
                self.found.push(found);
            }
        }
    }

    fn place(&self, relation: Relation, kind: &str, entry: &str) -> Found {
        Found {
            archive: self.ledger.input.clone(),
            relation,
            kind: kind.into(),
            entry: entry.into(),
            count: 1,
            ..Found::default()
        }
    }

    fn assets(&mut self) {
        let Sought::Uuid(sought) = *self.sought else { return };
        let ledger = self.ledger;
        let mut holds = false;
        for asset in &ledger.assets {
            let kind = kind_of_suffix(asset.suffix().unwrap_or_default());
            if asset.uuid() == Some(sought) {
                holds = true;
                let place = self.place(Relation::Holds, kind, &asset.entry.to_string());
                self.add(Found { bytes: Some(asset.bytes), uuid: Some(sought), ..place });
            }
            self.text(asset, kind, sought);
        }
        // Loose meshes are no assets of an archive.
        for mesh in ledger.meshes.iter().filter(|mesh| !holds && mesh.uuid == Some(sought)) {
            let place = self.place(Relation::Holds, "mesh", &mesh.entry);
            self.add(Found { bytes: Some(mesh.bytes), uuid: Some(sought), ..place });
        }
    }

    fn text(&mut self, asset: &AssetFacts, kind: &str, sought: Uuid) {
        let Content::Text(text) = &asset.content else { return };
        let relation = if text.references.contains(&sought) {
            Relation::Uses
        } else if text.mentions.contains(&sought) {
            Relation::Mentions
        } else {
            return;
        };
        let place = self.place(relation, kind, &asset.entry.to_string());
        self.add(Found { uuid: asset.uuid(), ..place });
    }

    fn region(&mut self, region: &RegionFacts) {
        let name = Some(region.name.clone());
        if let Some(exact) = self.is(region.uuid.unwrap_or_default(), &region.name) {
            let place = self.place(Relation::Is, "region", &region.folder);
            self.add(Found { region: name.clone(), uuid: region.uuid, exact, ..place });
        }
        let settings = region.settings.iter();
        for reference in settings.clone().flat_map(|settings| &settings.references) {
            if self.is_asset(reference.asset) {
                let place = self.place(Relation::Uses, words_of_use(reference.what), &region.folder);
                self.add(Found { region: name.clone(), uuid: region.uuid, ..place });
            }
        }
        for telehub in settings.filter_map(|settings| settings.telehub) {
            if self.is_asset(telehub) {
                let place = self.place(Relation::Uses, "telehub", &region.folder);
                self.add(Found { region: name.clone(), uuid: region.uuid, ..place });
            }
        }
        for facts in &region.parcels {
            let parcel = &facts.parcel;
            let place = |search: &Self, relation, kind: &str| Found {
                region: name.clone(),
                parcel: Some(parcel.name.clone()),
                uuid: parcel.uuid,
                ..search.place(relation, kind, &facts.entry)
            };
            if let Some(exact) = self.is(parcel.uuid.unwrap_or_default(), &parcel.name) {
                self.add(Found { exact, ..place(self, Relation::Is, "parcel") });
            }
            for reference in &parcel.references {
                if self.is_asset(reference.asset) {
                    self.add(place(self, Relation::Uses, words_of_use(reference.what)));
                }
            }
        }
    }

    fn object(&mut self, object: &ObjectFacts) {
        let Some(root) = object.linkset.parts.first() else { return };
        let region = object.region.and_then(|number| self.ledger.regions.get(number as usize));
        let is_rezzed = object.role == Role::Rezzed;
        let of_object = Found {
            region: region.map(|region| region.name.clone()),
            position_m: is_rezzed.then(|| root.group_position.to_array()),
            object: Some(root.name.clone()),
            object_uuid: Some(root.uuid),
            ..self.place(Relation::Is, "object", &object.entry)
        };
        for (number, part) in object.linkset.parts.iter().enumerate() {
            let of_part = Found {
                link_number: Some(part.link_number),
                part: Some(part.name.clone()),
                part_uuid: Some(part.uuid),
                ..of_object.clone()
            };
            if let Some(exact) = self.is(part.uuid, &part.name) {
                let found = if number == 0 { of_object.clone() } else { of_part.clone() };
                let kind = if number == 0 { "object" } else { "part" };
                self.add(Found { kind: kind.into(), uuid: Some(part.uuid), exact, ..found });
            }
            self.uses(part, &of_part);
            self.contents(part, &of_part);
        }
    }

    /// Searches the assets that a part shows or plays.
    fn uses(&mut self, part: &Part, of_part: &Found) {
        let mesh = part.mesh().map(|asset| (asset, "mesh"));
        let map = part.possible_sculpt_map().map(|asset| (asset, "sculpt map"));
        let words = |reference: &Reference| (reference.asset, words_of_use(reference.what));
        let all = mesh.into_iter().chain(map).chain(part.references.iter().map(words));
        for (_, kind) in all.filter(|(asset, _)| self.is_asset(*asset)).collect::<Vec<_>>() {
            let found = Found {
                relation: Relation::Uses,
                kind: kind.into(),
                uuid: Some(part.uuid),
                ..of_part.clone()
            };
            self.add(found);
        }
    }

    fn contents(&mut self, part: &Part, of_part: &Found) {
        for item in &part.inventory {
            let of_item = Found { item: Some(item.name.clone()), uuid: Some(item.uuid), ..of_part.clone() };
            self.item(of_item, item.asset, item.asset_type);
        }
    }

    fn items(&mut self) {
        for ItemFacts { entry, item } in &self.ledger.items {
            let place = self.place(Relation::Is, "item", entry);
            let of_item = Found { item: Some(item.name.clone()), uuid: Some(item.uuid), ..place };
            self.item(of_item, item.asset, item.asset_type);
        }
    }

    fn item(&mut self, of_item: Found, asset: Uuid, asset_type: i32) {
        let (uuid, name) = (of_item.uuid.unwrap_or_default(), of_item.item.as_deref().unwrap_or_default());
        if let Some(exact) = self.is(uuid, name) {
            self.add(Found { kind: "item".into(), exact, ..of_item.clone() });
        }
        if self.is_asset(asset) {
            let kind = kind_of_item(asset_type).unwrap_or("link").into();
            self.add(Found { relation: Relation::Contains, kind, ..of_item });
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use hullmark_format::{
        inventory::InventoryItem,
        object::{Item, Linkset, Sculpt},
        reference::Use,
        region::{Parcel, Settings},
        text::Text,
    };
    use hullmark_ledger::facts::{ParcelFacts, Status};

    const ASSET: Uuid = Uuid::from_u128(0xa55e7);

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    /// Returns an input that has the asset in every place.
    pub fn ledger() -> Ledger {
        let part = |number: i32| Part {
            uuid: id(10 + number as u128),
            name: format!("Part {number}"),
            link_number: number,
            references: vec![Use::Texture.reference(ASSET), Use::Particle.reference(ASSET)],
            inventory: vec![Item { name: "Picture".into(), uuid: id(30), asset: ASSET, ..Item::default() }],
            ..Part::default()
        };
        let mut sculpted = part(1);
        sculpted.shape.sculpt = Some(Sculpt { asset: ASSET, kind: 65 });
        let linkset = Linkset { parts: vec![sculpted, part(2), part(3)], ..Linkset::default() };
        let parcel = Parcel {
            name: "Shop".into(),
            uuid: Some(id(20)),
            references: vec![Use::Snapshot.reference(ASSET)],
            ..Parcel::default()
        };
        let settings =
            Settings { references: vec![Use::GroundTexture.reference(ASSET)], ..Settings::default() };
        let region = RegionFacts {
            name: "Welcome".into(),
            uuid: Some(id(2)),
            settings: Some(Settings { telehub: Some(id(11)), ..settings }),
            parcels: vec![ParcelFacts { entry: "land/a.xml".into(), order: 0, parcel }],
            ..RegionFacts::of_folder("")
        };
        let text = |name: &str, text| AssetFacts {
            entry: name.into(),
            bytes: 7,
            content_hash: None,
            content: Content::Text(Box::new(text)),
        };
        let picture = AssetFacts {
            content: Content::Opaque,
            ..text(&format!("assets/{ASSET}_texture.jp2"), Text::default())
        };
        let notecard = text("assets/n_notecard.txt", Text { references: vec![ASSET], ..Text::default() });
        let script = text("assets/s_script.lsl", Text { mentions: vec![ASSET], ..Text::default() });
        let item = InventoryItem {
            name: "Own picture".into(),
            uuid: id(40),
            asset: ASSET,
            ..InventoryItem::default()
        };
        Ledger {
            regions: vec![region],
            assets: vec![picture, notecard, script],
            objects: vec![ObjectFacts { region: Some(0), ..ObjectFacts::rezzed(linkset) }],
            items: vec![ItemFacts { entry: "inventory/i.xml".into(), item }],
            ..Ledger::empty("a.oar", hullmark_ledger::InputKind::Oar, Status::Complete)
        }
    }

    fn rows(sought: &Sought) -> Vec<(Relation, String, u64)> {
        let found = find(&ledger(), sought);
        found.into_iter().map(|found| (found.relation, found.kind, found.count)).collect()
    }

    #[test]
    fn every_use_of_an_asset_is_found() {
        use Relation::*;
        let expected = [
            (Holds, "texture", 1),
            (Uses, "notecard", 1),
            (Mentions, "script", 1),
            (Uses, "ground texture", 1),
            (Uses, "picture", 1),
            (Uses, "sculpt map", 1),
            (Uses, "texture", 3),
            (Uses, "particle texture", 3),
            (Contains, "texture", 3),
            (Contains, "texture", 1),
        ];
        let expected = expected.map(|(relation, kind, count)| (relation, kind.to_owned(), count));
        assert_eq!(rows(&Sought::Uuid(ASSET)), expected);
    }

    #[test]
    fn things_are_found_by_their_uuids() {
        use Relation::*;
        let row = |relation, kind: &str| (relation, kind.to_owned(), 1);
        assert_eq!(rows(&Sought::Uuid(id(11))), [row(Uses, "telehub"), row(Is, "object")]);
        assert_eq!(rows(&Sought::Uuid(id(12))), [row(Is, "part")]);
        assert_eq!(rows(&Sought::Uuid(id(2))), [row(Is, "region")]);
        assert_eq!(rows(&Sought::Uuid(id(20))), [row(Is, "parcel")]);
        assert_eq!(rows(&Sought::Uuid(id(40))), [row(Is, "item")]);
        assert_eq!(rows(&Sought::Uuid(id(99))), []);
    }

    #[test]
    fn things_of_one_name_share_a_row() {
        let rows: Vec<_> = find(&ledger(), &Sought::Name("picture".into()))
            .into_iter()
            .map(|found| (found.kind, found.item.unwrap_or_default(), found.count, found.exact))
            .collect();
        let expected = [("item", "Picture", 3, true), ("item", "Own picture", 1, false)];
        let expected =
            expected.map(|(kind, item, count, exact)| (kind.to_owned(), item.to_owned(), count, Some(exact)));
        assert_eq!(rows, expected);
    }
}

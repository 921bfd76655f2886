//! The assets in use, which are all that is read of a table with the assets of a grid.
//!
//! Regions, land, parts and their items use assets. Objects and texts among these use further ones. As in OpenSim's
//! gatherer, every UUID in a text may be an asset.

use crate::content::objects_of;
use crate::{Item, Kind};
use hullmark_database::Region;
use hullmark_format::{object::Part, text};
use hullmark_ledger::LINKS;
use hullmark_settings::limits::Limits;
use hullmark_util::catch_panic::caught;
use std::collections::{BTreeSet, HashSet};
use uuid::Uuid;

#[derive(Debug, Default)]
pub(crate) struct Uses {
    known: HashSet<Uuid>,
    /// Those that were not asked for yet.
    waiting: BTreeSet<Uuid>,
}

impl Uses {
    pub(crate) fn add(&mut self, asset: Uuid) {
        if !asset.is_nil() && self.known.insert(asset) {
            self.waiting.insert(asset);
        }
    }

    /// Returns the assets that were added since the last call, in order.
    pub(crate) fn take(&mut self) -> Vec<Uuid> {
        std::mem::take(&mut self.waiting).into_iter().collect()
    }

    pub(super) fn add_region(&mut self, region: &Region) {
        let settings = region.settings.iter().flat_map(|settings| &settings.references);
        let parcels = region.parcels.iter().flat_map(|parcel| &parcel.references);
        settings.chain(parcels).for_each(|reference| self.add(reference.asset));
        region.objects.iter().flat_map(|(linkset, _)| &linkset.parts).for_each(|part| self.add_part(part));
    }

    fn add_part(&mut self, part: &Part) {
        let bodies = part.mesh().into_iter().chain(part.possible_sculpt_map());
        bodies.for_each(|asset| self.add(asset));
        part.references.iter().for_each(|reference| self.add(reference.asset));
        part.inventory.iter().for_each(|item| self.add_item(item.asset, item.asset_type));
    }

    /// Adds the asset of an item. A link has none.
    pub(super) fn add_item(&mut self, asset: Uuid, asset_type: i32) {
        if !LINKS.contains(&asset_type) {
            self.add(asset);
        }
    }

    pub(super) fn add_asset(&mut self, name: &str, kind: Kind, suffix: &str, bytes: &[u8], limits: &Limits) {
        match kind {
            Kind::Text if bytes.len() as u64 <= limits.text_bytes => {
                // A text that cannot be read is a finding of the worker that reads it again.
                let Ok(Ok(text)) = caught(|| text::decode(suffix, bytes)) else { return };
                text.references.into_iter().chain(text.mentions).for_each(|asset| self.add(asset));
            }
            Kind::NestedObject => {
                let size = bytes.len() as u64;
                let item = Item::new(name.to_owned(), kind, bytes.to_vec(), size);
                let objects = objects_of(&item, limits);
                objects.iter().flat_map(|object| &object.linkset.parts).for_each(|part| self.add_part(part));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::{
        object::{Item as InventoryItem, Linkset},
        reference::Use,
    };

    fn id(number: u128) -> Uuid {
        Uuid::from_u128(number)
    }

    #[test]
    fn assets_in_use_are_asked_for_once() {
        let item =
            |asset, asset_type| InventoryItem { asset: id(asset), asset_type, ..InventoryItem::default() };
        let part = Part {
            references: vec![Use::Texture.reference(id(1)), Use::Texture.reference(Uuid::nil())],
            inventory: vec![item(2, 10), item(3, 24)],
            ..Part::default()
        };
        let linkset = Linkset { parts: vec![part.clone(), part], ..Linkset::default() };
        let region = Region { objects: vec![(linkset, Vec::new())], ..Region::default() };
        let mut uses = Uses::default();
        uses.add_region(&region);
        assert_eq!(uses.take(), [id(1), id(2)], "a link names no asset");
        let script = format!("key a = \"{}\"; key b = \"{}\";", id(2), id(9));
        uses.add_asset("script", Kind::Text, "_script.lsl", script.as_bytes(), &Limits::default());
        assert_eq!(uses.take(), [id(9)]);
        assert!(uses.take().is_empty());
    }
}

use super::*;
use crate::{Columns, RoomLimits, Value};
use hullmark_format::defect::DefectKind;
use proptest::prelude::*;

fn uuid(number: usize) -> Uuid {
    Uuid::from_u128(number as u128 + 1)
}

fn folder(number: usize, parent: Uuid, kind: i16) -> Folder {
    Folder { uuid: uuid(number), parent, kind, name: format!("F{number}").into() }
}

fn item(number: usize, folder: Uuid, asset_type: i16, asset: Uuid) -> ItemRow {
    let name = format!("I{number}").into();
    let uuid = uuid(1000 + number);
    ItemRow { uuid, asset, folder, creator: None, asset_type, inventory_type: 0, name }
}

/// Returns the defects of structure, each with its measured number.
fn found(inventory: &Inventory) -> Vec<(InventoryDefect, u64)> {
    let defects = inventory.defects().into_iter();
    let kind = |defect: Defect| match defect.kind {
        DefectKind::Inventory(kind) => (kind, defect.measured.unwrap_or_default().0 as u64),
        other => panic!("{other:?}"),
    };
    defects.map(kind).collect()
}

fn paths(inventory: &Inventory) -> Vec<String> {
    inventory.items(Uuid::nil()).map(|(path, _)| path).collect()
}

/// Where the way up from a folder leads, by a walk of as many steps as there are folders.
fn leads_to_root(folders: &[Folder], mut at: Uuid) -> bool {
    for _ in 0..=folders.len() {
        match folders.iter().find(|folder| folder.uuid == at) {
            Some(folder) if folder.is_root() => return true,
            Some(folder) => at = folder.parent,
            None => return false,
        }
    }
    false
}

fn is_in_loop(folders: &[Folder], start: &Folder) -> bool {
    let mut at = start;
    for _ in 0..=folders.len() {
        match folders.iter().find(|folder| folder.uuid == at.parent) {
            Some(parent) if !at.is_root() => at = parent,
            _ => return false,
        }
        if at.uuid == start.uuid {
            return true;
        }
    }
    false
}

proptest! {
    /// Parents are any folder, none, or one that is absent.
    #[test]
    fn every_item_is_placed_or_reported(
        parents in prop::collection::vec((0..40_usize, any::<bool>()), 1..30),
        items in prop::collection::vec(0..40_usize, 0..60),
    ) {
        let parent = |number: usize| if number >= 35 { Uuid::nil() } else { uuid(number) };
        let folders: Vec<Folder> = parents
            .iter()
            .enumerate()
            .map(|(number, &(up, typed))| folder(number, parent(up), if typed { 8 } else { -1 }))
            .collect();
        let items: Vec<ItemRow> =
            items.iter().enumerate().map(|(number, &of)| item(number, uuid(of), 6, uuid(0))).collect();
        let inventory = Inventory { folders, items, is_of_2007: false };
        let (mut cut_off, mut without_folder, mut without_parent, mut looped) = (0, 0, 0, 0);
        for (kind, count) in found(&inventory) {
            match kind {
                InventoryDefect::FoldersWithoutParent { items, .. } => {
                    (cut_off, without_parent) = (cut_off + items, count);
                }
                InventoryDefect::FolderLoop { items, .. } => (cut_off, looped) = (cut_off + items, count),
                InventoryDefect::ItemsWithoutFolder { .. } => without_folder = count,
                _ => {}
            }
        }
        let folders = &inventory.folders;
        let (mut placed, mut lost) = (0, 0);
        for (path, row) in paths(&inventory).iter().zip(&inventory.items) {
            let is_placed = leads_to_root(folders, row.folder);
            prop_assert_eq!(!path.starts_with('…'), is_placed, "{}", path);
            placed += u64::from(is_placed);
            lost += u64::from(!folders.iter().any(|folder| folder.uuid == row.folder));
        }
        prop_assert_eq!(without_folder, lost);
        prop_assert_eq!(placed + cut_off + without_folder, inventory.items.len() as u64);
        prop_assert_eq!(looped, folders.iter().filter(|folder| is_in_loop(folders, folder)).count() as u64);
        let has_parent = |folder: &&Folder| folders.iter().any(|parent| parent.uuid == folder.parent);
        let adrift = folders.iter().filter(|folder| !folder.is_root() && !has_parent(folder)).count();
        prop_assert_eq!(without_parent, adrift as u64);
    }
}

#[test]
fn long_chains_and_large_loops_take_linear_time() {
    // With quadratic time these would be 10¹⁰ steps.
    const COUNT: usize = 100_000;
    let chain: Vec<Folder> = (0..COUNT).map(|number| folder(number, uuid(number + 1), -1)).collect();
    let inventory =
        Inventory { folders: chain, items: vec![item(0, uuid(0), 6, uuid(0))], is_of_2007: false };
    let path = &paths(&inventory)[0];
    assert!(path.starts_with("…/F63/") && path.ends_with("/F0/I0"), "{path}");
    assert!(matches!(found(&inventory)[0], (InventoryDefect::FoldersWithoutParent { items: 1, .. }, 1)));
    let ring: Vec<Folder> = (0..COUNT).map(|number| folder(number, uuid((number + 1) % COUNT), -1)).collect();
    let inventory = Inventory { folders: ring, ..Inventory::default() };
    let InventoryDefect::FolderLoop { first, .. } = &found(&inventory)[0].0 else { panic!() };
    assert_eq!((found(&inventory)[0].1, first.len()), (COUNT as u64, EXAMPLES));
}

#[test]
fn system_folders_are_counted_below_the_root_only() {
    let mut folders = vec![folder(0, Uuid::nil(), 9)];
    let given = [0, 1, 5, 6, 7, 10, 13, 15, 16, 20, 21];
    folders.extend((1..).zip(given).map(|(number, kind)| folder(number, uuid(0), kind)));
    // Calling cards and plain folders may be there often, and folders of a suitcase do not count.
    folders.extend([folder(20, uuid(0), 2), folder(21, uuid(0), 2), folder(22, uuid(0), 100)]);
    folders.extend([folder(23, uuid(22), 14), folder(24, uuid(22), 14)]);
    let mut inventory = Inventory { folders, ..Inventory::default() };
    assert_eq!(found(&inventory), []);

    inventory.folders.retain(|folder| folder.kind != 16);
    let more = (30..).zip([14, 14, 46, 46, 56, 56]);
    inventory.folders.extend(more.map(|(number, kind)| folder(number, uuid(0), kind)));
    let expected = [
        (InventoryDefect::SystemFoldersMissing { kinds: vec![16] }, 1),
        (InventoryDefect::SystemFoldersTwice { kinds: vec![14, 46], refused: true }, 2),
        (InventoryDefect::SystemFoldersTwice { kinds: vec![56], refused: false }, 1),
    ];
    assert_eq!(found(&inventory), expected);
    inventory.folders.retain(|folder| !folder.is_root());
    let found = found(&inventory);
    assert!(found.contains(&(InventoryDefect::Roots, 0)), "{found:?}");
    let is_of_system =
        |(kind, _): &(InventoryDefect, u64)| matches!(kind, InventoryDefect::SystemFoldersMissing { .. });
    assert!(!found.iter().any(is_of_system), "without a root nothing can be below it");
}

#[test]
fn links_lead_to_items_and_folders_and_not_to_assets() {
    let mut folders = vec![folder(0, Uuid::nil(), 8)];
    folders
        .extend((1..).zip([0, 1, 5, 6, 7, 10, 13, 15, 16, 20, 21]).map(|(n, kind)| folder(n, uuid(0), kind)));
    let items = vec![
        item(0, uuid(1), 6, uuid(77)),
        item(1, uuid(1), 24, uuid(1000)),
        item(2, uuid(1), 25, uuid(2)),
        item(3, uuid(1), 24, uuid(77)),
        item(4, uuid(1), 25, uuid(1000)),
    ];
    let inventory = Inventory { folders, items, is_of_2007: false };
    let first = [(3, 1003), (4, 1004)].map(|(number, item)| example(&format!("F1/I{number}"), uuid(item)));
    assert_eq!(found(&inventory), [(InventoryDefect::BrokenLinks { first: first.into() }, 2)]);
}

#[test]
fn rows_are_read_by_name_in_every_dialect() {
    let columns = Columns::new([
        "parentFolderID",
        "inventoryID",
        "avatarID",
        "assetType",
        "creatorID",
        "inventoryName",
        "groupID",
        "groupOwned",
        "assetID",
        "invType",
    ]);
    let ids = [1, 2, 3, 4].map(|number| uuid(number).to_string().to_uppercase());
    let creator = format!("{};http://home.example:8002/;First Last", uuid(5));
    let long = "n".repeat(NAME + 1);
    let text = |text: &'static str| Value::bytes(text.as_bytes());
    let values = [
        Value::bytes(ids[0].as_bytes()),
        Value::bytes(ids[1].as_bytes()),
        Value::bytes(ids[2].as_bytes()),
        text("24"),
        Value::bytes(creator.as_bytes()),
        Value::bytes(long.as_bytes()),
        text(""),
        text("f"),
        Value::bytes(ids[3].as_bytes()),
        Value::Int(18),
    ];
    let mut tables = InventoryTables::default();
    let mut room = Room::new(RoomLimits { bytes: u64::MAX, names: 0, regions: 0 });
    let row = Row::new(&columns, &values);
    tables.take("inventoryitems", &row, &mut room);
    tables.take("inventoryitems", &row, &mut room);
    let inventories = tables.finish();
    let (owner, inventory) = inventories.first_key_value().unwrap();
    assert_eq!((*owner, inventory.counts()), (uuid(3), (0, 1)), "the second row is the first again");
    let (path, item) = inventory.items(*owner).next().unwrap();
    let expected = InventoryItem {
        name: "n".repeat(NAME),
        uuid: uuid(2),
        asset: uuid(4),
        asset_type: 24,
        inventory_type: 18,
        creator: Some(uuid(5)),
        owner: Some(uuid(3)),
    };
    assert_eq!((path, item), (format!("…/{}", "n".repeat(NAME)), expected));
}

#[test]
fn tables_of_2007_have_other_columns_and_other_system_folders() {
    let (owner, root, item) = (uuid(1).to_string(), uuid(2).simple().to_string(), uuid(3).to_string());
    let text = |text: &'static str| Value::bytes(text.as_bytes());
    let id = |id: &'static str| Value::bytes(id.as_bytes());
    let [owner_id, root_id, item_id] = [owner, root, item].map(|text| &*text.leak()).map(id);
    let nil = id("00000000000000000000000000000000");
    let room = &mut Room::new(RoomLimits { bytes: u64::MAX, names: u64::MAX, regions: 9 });
    let mut tables = InventoryTables::default();
    let folders = Columns::new(["UUID", "name", "agentID", "parentID", "type", "version"]);
    let folder = [root_id.clone(), text("My Inventory"), owner_id.clone(), nil, Value::Int(8), Value::Int(1)];
    tables.take("inventoryfolders", &Row::new(&folders, &folder), room);
    let items = Columns::new([
        "UUID",
        "assetID",
        "assetType",
        "parentFolderID",
        "avatarID",
        "creatorsID",
        "inventoryName",
    ]);
    let script =
        [item_id.clone(), item_id, Value::Int(10), root_id, owner_id.clone(), owner_id, text("New Script")];
    tables.take("inventoryitems", &Row::new(&items, &script), room);
    let inventories = tables.finish();
    let (owner, inventory) = inventories.first_key_value().unwrap();
    assert_eq!((*owner, inventory.counts(), found(inventory)), (uuid(1), (1, 1), vec![]));
    assert_eq!(paths(inventory), ["New Script"]);
    let (_, item) = inventory.items(*owner).next().unwrap();
    assert_eq!((item.uuid, item.creator), (uuid(3), Some(uuid(1))));
}

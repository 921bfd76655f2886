//! INV007: items of inventories in databases whose asset is gone.

use super::{
    decoding::examples,
    reference::{is_there, unproved},
};
use crate::RuleOutcomes;
use hullmark_analysis::{Measured, asset_uses::kind_of_item};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::ItemFacts;
use hullmark_util::number_text::counted;
use std::collections::BTreeMap;

rules! {
    INV001 "folders" "Folders have no parent" {
        about: Inventory,
        effect: Loses,
        message: "Folders cannot be reached, because their parent is not in the inventory: {detail}",
        why: "Each folder but the root names its parent. If the parent is gone, no path leads from the root to the \
              folder and its content.",
        engines: [
            "Second Life viewer" => "Counts such folders as orphaned when it checks the inventory at login.",
        ],
        fix: "Set parentFolderID of these folders to the root folder of their owner, while the owner is offline.",
        source: "secondlife/viewer, llinventorymodel.cpp, LLInventoryModel::validate; OpenSimulator wiki, \
                 Check_inventory_script",
    }

    INV002 "folders" "Folders contain each other" {
        about: Inventory,
        effect: Loses,
        message: "Folders form a loop: {detail}",
        why: "A folder that contains its own parent is not below the root. No path leads to it and its content.",
        engines: [
            "Second Life viewer" => "Counts folders in loops when it checks the inventory at login.",
        ],
        fix: "Set parentFolderID of one folder of the loop to the root folder of its owner, while the owner is offline.",
        source: "secondlife/viewer, llinventorymodel.cpp, LLInventoryModel::validate; OpenSimulator wiki, \
                 Check_inventory_script",
    }

    INV003 "root folders" "Inventory has no root folder, or several" {
        about: Inventory,
        effect: Breaks,
        message: "The inventory must have one root folder, and has {detail}",
        why: "The root folder has the type 8, or 9 in old databases, and no parent. All other folders are below it.",
        engines: [
            "Second Life viewer" => "Calls an inventory without a root folder fatally corrupt at login.",
        ],
        fix: "Without a root, add a folder of type 8 without parent. Of several, keep one and set it as the parent of \
              the others, with the type -1.",
        source: "secondlife/viewer, llinventorymodel.cpp, LLInventoryModel::validate; OpenSimulator wiki, \
                 Check_inventory_script",
    }

    INV004 "types" "System folders are missing or there are several" {
        about: Inventory,
        effect: Breaks,
        message: "System folders below the root are wrong; {detail}",
        why: "Viewers expect one folder of each system type directly below the root. They find the trash, the current \
              outfit and the places for uploads by type. Folders elsewhere, for example in a suitcase, do not count.",
        engines: [
            "Second Life viewer" => "Since 2022 it checks the inventory at login. It cannot create some types, and calls \
                an inventory without them fatally corrupt. It also refuses a second trash, current outfit, outfits, \
                favorites or received items. A second folder of another type is only logged.",
        ],
        fix: "Add missing folders below the root. Of several, move the content into one, and set the type of the others \
              to -1, while the owner is offline.",
        source: "secondlife/viewer, llfoldertype.cpp, LLFolderDictionary; llinventorymodel.cpp, \
                 LLInventoryModel::validate",
    }

    INV005 "items" "Items are in no folder" {
        about: Inventory,
        effect: Loses,
        message: "Items cannot be reached, because their folder is not in the inventory: {detail}",
        why: "Each item names its folder. If the folder is gone, or belongs to another owner, nobody finds the item.",
        engines: [
            "Second Life viewer" => "Counts such items as orphaned when it checks the inventory at login.",
        ],
        fix: "Set parentFolderID of these items to the folder of type 16 (lost and found) of their owner, while the owner \
              is offline.",
        source: "secondlife/viewer, llinventorymodel.cpp, LLInventoryModel::validate; OpenSimulator wiki, \
                 Check_inventory_script",
    }

    INV006 "links" "Links lead nowhere" {
        about: Inventory,
        effect: Breaks,
        message: "Links lead to items or folders that are not in the inventory: {detail}",
        why: "A link has the type 24 or 25, and names an item or a folder instead of an asset. Outfits consist of \
              links. A link without its target cannot be worn or opened.",
        engines: [
            "Second Life viewer" => "Shows a broken link, and counts it as orphaned at login.",
        ],
        fix: "Delete these links, or restore their targets from an older backup.",
        source: "OpenSim, InventoryArchiveWriteRequest.cs; secondlife/viewer, llinventorymodel.cpp, \
                 LLInventoryModel::validate",
    }

    INV007 "items" "Assets of items are gone" {
        about: Inventory,
        effect: Loses,
        check: item_without_asset,
        message: "The assets of items are neither in the database nor in a store: {detail}",
        why: "An item only names its asset. If the asset is gone, the item cannot be rezzed, worn or opened. This is not \
              evaluated without assets. They are in the same database or in a store that --assets names.",
        fix: "Restore the assets from an older backup of the asset service. Items whose assets are lost can be deleted.",
        source: "OpenSim, InventoryService and AssetService, inventoryitems.assetID",
    }
}

const EXAMPLES: usize = 3;

/// Items whose asset is neither in the database nor in a store. One finding for each owner, with the first paths.
fn item_without_asset(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let ledger = measured.ledger;
    if let Some(reason) = unproved(measured) {
        return outcomes.not_evaluated(Code::INV007, reason, ledger.inventories.len());
    }
    // For each inventory: the number of its items, and the first.
    let mut gone: BTreeMap<&str, (u64, Vec<String>)> = BTreeMap::new();
    for ItemFacts { entry, item } in &ledger.items {
        let needed = !item.asset.is_nil() && kind_of_item(item.asset_type).is_some();
        if !needed || is_there(measured, item.asset) {
            continue;
        }
        let Some(inventory) = ledger.inventory_of(entry) else { continue };
        let (count, first) = gone.entry(&inventory.entry).or_default();
        *count += 1;
        if first.len() < EXAMPLES {
            let path = &entry[inventory.entry.len()..];
            first.push(format!("{path} (asset {})", item.asset));
        }
    }
    outcomes.extend(gone.into_iter().map(|(entry, (count, first))| {
        let detail = format!("{}: {}", counted(count, "item"), examples(count, &first));
        Finding::new(Code::INV007).entry(entry).measured(count as f64).detail(detail)
    }));
}

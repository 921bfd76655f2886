//! Dumps of inventories: a sound one, and one with every defect.

use super::{
    File,
    databases::{COMPLETED, insert},
};
use crate::support::object::{Prim, uuid, xml2};
use std::fmt::Write;

const FOLDERS: [&str; 6] = ["folderName", "type", "version", "folderID", "agentID", "parentFolderID"];
const ITEMS: [&str; 10] = [
    "assetID",
    "assetType",
    "inventoryName",
    "invType",
    "creatorID",
    "groupID",
    "inventoryBasePermissions",
    "inventoryID",
    "avatarID",
    "parentFolderID",
];
const ACCOUNTS: [&str; 5] = ["PrincipalID", "ScopeID", "FirstName", "LastName", "Email"];
const ASSETS: [&str; 3] = ["id", "assetType", "data"];

/// System folders that OpenSimulator makes for a new user: type and name.
const SYSTEM: [(i16, &str); 12] = [
    (0, "Textures"),
    (1, "Sounds"),
    (5, "Clothing"),
    (6, "Objects"),
    (7, "Notecards"),
    (10, "Scripts"),
    (13, "Body Parts"),
    (14, "Trash"),
    (15, "Photo Album"),
    (16, "Lost And Found"),
    (20, "Animations"),
    (21, "Gestures"),
];

const NIL: &str = "00000000-0000-0000-0000-000000000000";

/// Owners of inventories.
const ANN: u32 = 1;
const BEN: u32 = 2;
const CORA: u32 = 3;

pub(super) fn all() -> Vec<File> {
    vec![("inventories.sql".into(), dump().into_bytes())]
}

fn owner(number: u32) -> String {
    uuid(0xabab_abab, number)
}

fn folder_uuid(number: u32) -> String {
    uuid(0xf0f0_f0f0, number)
}

fn item_uuid(number: u32) -> String {
    uuid(0x1717_1717, number)
}

fn asset_uuid(number: u32) -> String {
    uuid(0xa5a5_a5a5, number)
}

/// Returns a row of `inventoryfolders`. The parent 0 is the zero UUID.
fn folder(of: u32, number: u32, parent: u32, kind: i16, name: &str) -> String {
    let parent = if parent == 0 { NIL.into() } else { folder_uuid(parent) };
    format!("'{name}',{kind},1,'{}','{}','{parent}'", folder_uuid(number), owner(of))
}

/// Returns a row of `inventoryitems`.
fn item(of: u32, number: u32, folder: u32, asset_type: i16, asset: &str, name: &str) -> String {
    let (owner, mask) = (owner(of), 0x7fff_ffff);
    format!(
        "'{asset}',{asset_type},'{name}',6,'{owner};http://elsewhere.example:8002/;Ann Owner','',{mask},'{}','{owner}','{}'",
        item_uuid(number),
        folder_uuid(folder)
    )
}

/// Returns the folders of a sound inventory, whose numbers begin at `first`.
fn sound(of: u32, first: u32) -> Vec<String> {
    let system = SYSTEM.iter().zip(first + 1..);
    let mut folders = vec![folder(of, first, 0, 8, "My Inventory")];
    folders.extend(system.map(|(&(kind, name), number)| folder(of, number, first, kind, name)));
    folders
}

fn dump() -> String {
    let (chair, gone) = (asset_uuid(1), asset_uuid(2));
    // Ann has a chair in a folder of her own, and a link to it.
    let mut folders = sound(ANN, 100);
    folders.push(folder(ANN, 120, 104, -1, "Furniture"));
    let mut items = vec![
        item(ANN, 1, 120, 6, &chair, "Chair"),
        item(ANN, 2, 105, 24, &item_uuid(1), "Chair"),
        item(ANN, 3, 105, 25, &folder_uuid(120), "Furniture"),
    ];
    // Ben has everything that is wrong below a root. The number of his objects is 204.
    folders.extend(sound(BEN, 200).into_iter().filter(|row| !row.contains("Gestures")));
    folders.extend([
        folder(BEN, 220, 200, 14, "Trash"),
        folder(BEN, 221, 200, 6, "Objects"),
        folder(BEN, 222, 299, -1, "Adrift"),
        folder(BEN, 223, 224, -1, "Snake"),
        folder(BEN, 224, 223, -1, "Tail"),
    ]);
    items.extend([
        item(BEN, 11, 204, 6, &gone, "Lost lamp"),
        item(BEN, 12, 298, 6, &chair, "Chair without folder"),
        item(BEN, 13, 204, 24, &item_uuid(99), "Link to nothing"),
        item(BEN, 14, 222, 6, &chair, "Chair adrift"),
        item(BEN, 15, 224, 6, &chair, "Chair in a snake"),
    ]);
    // Cora has no root.
    folders.push(folder(CORA, 300, 0, 6, "Objects"));
    let prim = Prim { uuid: uuid(0x0c0c_0c0c, 1), ..Prim::new("Chair of one prim", 1) };
    let object: String = xml2(&[prim]).bytes().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let account = |number, first| format!("'{}','{NIL}','{first}','Owner','private'", owner(number));
    let accounts = [account(ANN, "Ann"), account(BEN, "Ben"), account(CORA, "Cora")];
    let mut dump = String::from(
        "-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB, for debian-linux-gnu (x86_64)\n--\n\
         -- Host: localhost    Database: robust\n/*!40101 SET NAMES utf8mb4 */;\n",
    );
    insert(&mut dump, "assets", &ASSETS, &[format!("'{chair}',6,0x{object}")]);
    insert(&mut dump, "inventoryfolders", &FOLDERS, &folders);
    insert(&mut dump, "inventoryitems", &ITEMS, &items);
    insert(&mut dump, "UserAccounts", &ACCOUNTS, &accounts);
    dump + COMPLETED
}

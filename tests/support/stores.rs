//! Makes trees of FSAssets with their tables, and files of the Flotsam cache.

use super::archive::gzip;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The hash of an asset, as the service writes it.
pub fn hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02X}");
        digits
    })
}

/// Returns the path of a file of this hash, without `.gz`.
pub fn path(hash: &str) -> String {
    format!("{}/{}/{}/{}/{hash}", &hash[..2], &hash[2..4], &hash[4..6], &hash[6..10])
}

/// Returns the path in the layout of OSgrid.
pub fn osgrid_path(hash: &str) -> String {
    format!("{}/{}/{hash}", &hash[..3], &hash[3..6])
}

/// Returns the file of an asset, as the service writes it.
pub fn packed(content: &[u8]) -> (String, Vec<u8>) {
    (path(&hash(content)) + ".gz", gzip(content))
}

/// Returns a dump of a table with these assets: UUID, type, hash.
pub fn table<'a>(rows: impl IntoIterator<Item = (&'a str, i32, String)>) -> String {
    let rows = rows.into_iter().map(|(id, kind, hash)| format!("('{id}','','',{kind},'{hash}',1,1,0)"));
    let rows: Vec<String> = rows.collect();
    format!(
        "-- MariaDB dump 10.19  Distrib 10.11.14-MariaDB, for debian-linux-gnu (x86_64)\n--\n\
         -- Host: localhost    Database: robust\n\
         CREATE TABLE `fsassets` (\n  `id` char(36) NOT NULL,\n  `name` varchar(64) NOT NULL,\n  \
         `description` varchar(64) NOT NULL,\n  `type` int(11) NOT NULL,\n  `hash` char(80) NOT NULL,\n  \
         `create_time` int(11) NOT NULL,\n  `access_time` int(11) NOT NULL,\n  `asset_flags` int(11) NOT NULL,\n  \
         PRIMARY KEY (`id`)\n) ENGINE=InnoDB;\nINSERT INTO `fsassets` VALUES\n{};\n\
         -- Dump completed on 2026-11-24  3:00:00\n",
        rows.join(",\n")
    )
}

/// Returns a file of the Flotsam cache, as version 0.9.2 serializes an asset.
pub fn cached(id: &str, asset_type: i8, content: &[u8]) -> Vec<u8> {
    let mut file = vec![0];
    let number = |file: &mut Vec<u8>, number: i32| file.extend(number.to_le_bytes());
    let text = |file: &mut Vec<u8>, text: &str| {
        file.push(text.len() as u8);
        file.extend(text.as_bytes());
    };
    [1, -1, 1, 0].iter().for_each(|value| number(&mut file, *value));
    file.push(12);
    number(&mut file, 2);
    text(&mut file, "OpenSim.Framework, Version=0.9.2.0, Culture=neutral, PublicKeyToken=null");
    file.push(5);
    number(&mut file, 1);
    text(&mut file, "OpenSim.Framework.AssetBase");
    number(&mut file, 3);
    ["m_data", "m_metadata", "m_uploadAttempts"].iter().for_each(|name| text(&mut file, name));
    file.extend([7, 4, 0, 2]);
    text(&mut file, "OpenSim.Framework.AssetMetadata");
    number(&mut file, 2);
    file.push(8);
    number(&mut file, 2);
    file.extend([9, 3, 0, 0, 0, 9, 4, 0, 0, 0]);
    number(&mut file, 0);
    file.push(15);
    number(&mut file, 3);
    number(&mut file, content.len() as i32);
    file.push(2);
    file.extend(content);
    file.push(5);
    number(&mut file, 4);
    text(&mut file, "OpenSim.Framework.AssetMetadata");
    number(&mut file, 4);
    ["m_id", "m_name", "m_creation_date", "m_type"].iter().for_each(|name| text(&mut file, name));
    file.extend([1, 1, 0, 0, 13, 10]);
    number(&mut file, 2);
    file.push(6);
    number(&mut file, 5);
    text(&mut file, id);
    file.push(6);
    number(&mut file, 6);
    text(&mut file, "Cached");
    file.extend([0; 8]);
    file.push(asset_type as u8);
    file.push(11);
    file
}

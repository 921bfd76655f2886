//! Region settings and parcels from rows of `regionsettings` and `land`.

use super::Row;
use hullmark_format::{
    reference::{Reference, Use},
    region::{Parcel, Settings},
};
use hullmark_util::json_number::Number;
use uuid::Uuid;

/// Reads a row of `regionsettings`.
pub(super) fn settings(row: &Row<'_>) -> Settings {
    let textures = (1..=4).map(|number| (Use::GroundTexture, format!("terrain_texture_{number}")));
    let materials = (1..=4).map(|number| (Use::GroundMaterial, format!("terrainpbr{number}")));
    let references =
        textures.chain(materials).filter_map(|(what, column)| what.unless_nil(row.uuid(&column)));
    Settings {
        object_bonus: finite(row, "object_bonus"),
        agent_limit: row.int("agent_limit"),
        maturity: row.int("maturity"),
        disable_physics: row.flag("disable_physics"),
        disable_scripts: row.flag("disable_scripts"),
        disable_collisions: row.flag("disable_collisions"),
        water_height: finite(row, "water_height"),
        telehub: Some(row.uuid("telehubobject")).filter(|uuid| !uuid.is_nil()),
        spawn_points: 0,
        environment: false,
        references: references.collect(),
    }
}

/// Returns a finite number. Any other is as good as missing, as in an archive.
fn finite(row: &Row<'_>, column: &str) -> Option<Number> {
    row.real(column).filter(|number| number.is_finite()).map(Number)
}

/// Reads a row of `land`.
pub(super) fn parcel(row: &Row<'_>) -> Parcel {
    let pictures = [(Use::MediaTexture, "mediatextureuuid"), (Use::Snapshot, "snapshotuuid")];
    let references: Vec<Reference> =
        pictures.iter().filter_map(|(what, column)| what.unless_nil(row.uuid(column))).collect();
    let bitmap = row.blob("bitmap");
    let cells = bitmap.len() * 8;
    Parcel {
        uuid: Some(row.uuid("uuid")).filter(|uuid| !uuid.is_nil()),
        name: row.name("name"),
        owner: row.uuid("owneruuid"),
        group: row.uuid("groupuuid"),
        group_owned: row.flag("isgroupowned").unwrap_or(false),
        area: finite(row, "area"),
        flags: row.bits("landflags"),
        landing: Some(row.vector("userlocation")),
        // OpenSimulator reads no other shape.
        bitmap: if cells.isqrt().pow(2) == cells { bitmap.to_vec() } else { Vec::new() },
        environment: !row.blob("environment").is_empty(),
        references,
    }
}

pub(super) fn region_of(row: &Row<'_>) -> Uuid {
    ["regionuuid", "region_id", "regionid"]
        .iter()
        .map(|column| row.uuid(column))
        .find(|id| !id.is_nil())
        .unwrap_or_default()
}

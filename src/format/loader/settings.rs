//! Region settings as OpenSim's `RegionSettingsSerializer` reads them: one fault, and it keeps the settings of the target.
//!
//! Its loops read a node, then the value of an element, which ends behind the element. Without white space there, the
//! next read skips an element. An unknown element ends its group.

use super::{
    calls::{CallFailure, Called, threw},
    malformed,
    position::Position,
    reader::{NodeKind, XmlReader},
    text::{thousands, whole_number},
};
use crate::{
    defect::LoadFault,
    xml::{SMALL_DOCUMENT_DEPTH, excerpt, parse_uuid},
};

/// Why the loader takes no setting of a document.
#[derive(Debug, PartialEq)]
pub(crate) struct Ignored {
    /// The element that cannot be read, or its group.
    pub(crate) element: &'static str,
    pub(crate) why: IgnoredFor,
    pub(crate) offset: usize,
}

#[derive(Debug, PartialEq)]
pub(crate) enum IgnoredFor {
    /// The text is not well-formed up to there.
    Malformed(&'static str),
    Fault(LoadFault),
}

/// How a value is parsed.
#[derive(Clone, Copy)]
enum Value {
    Boolean,
    Int,
    Number,
    Uuid,
    SpawnPoint,
    Any,
}

use Value::*;

type Group = (&'static str, &'static [(&'static str, Value)]);

/// The groups that must be there, in this order.
const REQUIRED: [Group; 3] = [
    (
        "General",
        &[
            ("AllowDamage", Boolean),
            ("AllowLandResell", Boolean),
            ("AllowLandJoinDivide", Boolean),
            ("BlockFly", Boolean),
            ("BlockLandShowInSearch", Boolean),
            ("BlockTerraform", Boolean),
            ("DisableCollisions", Boolean),
            ("DisablePhysics", Boolean),
            ("DisableScripts", Boolean),
            ("MaturityRating", Int),
            ("RestrictPushing", Boolean),
            ("AgentLimit", Int),
            ("ObjectBonus", Number),
        ],
    ),
    (
        "GroundTextures",
        &[
            ("Texture1", Uuid),
            ("Texture2", Uuid),
            ("Texture3", Uuid),
            ("Texture4", Uuid),
            ("ElevationLowSW", Number),
            ("ElevationLowNW", Number),
            ("ElevationLowSE", Number),
            ("ElevationLowNE", Number),
            ("ElevationHighSW", Number),
            ("ElevationHighNW", Number),
            ("ElevationHighSE", Number),
            ("ElevationHighNE", Number),
        ],
    ),
    (
        "Terrain",
        &[
            ("WaterHeight", Number),
            ("TerrainRaiseLimit", Number),
            ("TerrainLowerLimit", Number),
            ("UseEstateSun", Boolean),
            ("FixedSun", Boolean),
            ("SunPosition", Number),
        ],
    ),
];

/// Groups that may follow, in this order.
const OPTIONAL: [Group; 3] = [
    ("Telehub", &[("TelehubObject", Uuid), ("SpawnPoint", SpawnPoint)]),
    ("Environment", &[("data", Any)]),
    ("Estate", &[("AllowDirectTeleport", Boolean), ("AllowEnvironmentOverride", Boolean)]),
];

/// Materials of the ground, which 0.9.3 writes and reads.
pub(crate) const SINCE_0_9_3: [&str; 4] = ["PBR1", "PBR2", "PBR3", "PBR4"];

/// Whether OpenSim knows a setting of this name. `materials`: it is 0.9.3 or later.
pub fn is_known(name: &str, materials: bool) -> bool {
    let fields = REQUIRED.iter().chain(&OPTIONAL).flat_map(|(_, fields)| fields.iter());
    fields.into_iter().any(|(field, _)| *field == name) || materials && SINCE_0_9_3.contains(&name)
}

/// Returns why OpenSim takes no setting of a document; `None` if it takes them. `materials`: it is 0.9.3 or later.
pub(crate) fn ignored(text: &str, materials: bool) -> Option<Ignored> {
    let mut at = Position::without_parts(XmlReader::new(text).with_white_space(), SMALL_DOCUMENT_DEPTH);
    at.read();
    let read = document(&mut at, materials);
    let ill_formed = malformed(&at, text).map(|malformed| Ignored {
        element: "RegionSettings",
        why: IgnoredFor::Malformed(malformed.why),
        offset: malformed.offset,
    });
    ill_formed.or(read.err())
}

fn document(at: &mut Position<'_>, materials: bool) -> Result<(), Ignored> {
    let offset = at.start();
    at.read_start("RegionSettings").map_err(|failure| named("RegionSettings", offset, failure))?;
    for (name, fields) in REQUIRED {
        group(at, name, fields, materials)?;
    }
    for (name, fields) in OPTIONAL {
        if at.is_start_of(name) {
            group(at, name, fields, materials)?;
        }
    }
    Ok(())
}

fn group(
    at: &mut Position<'_>,
    name: &'static str,
    fields: &[(&'static str, Value)],
    materials: bool,
) -> Result<(), Ignored> {
    let offset = at.start();
    at.read_start(name).map_err(|failure| named(name, offset, failure))?;
    loop {
        at.read();
        if matches!(at.kind(), NodeKind::EndElement | NodeKind::None) {
            let offset = at.start();
            return at.read_end().map_err(|failure| named(name, offset, failure));
        }
        let material = SINCE_0_9_3.iter().find(|field| materials && **field == at.name());
        let known = fields.iter().find(|(field, _)| *field == at.name()).copied();
        let Some((field, value)) = known.or(material.map(|field| (*field, Uuid))) else { continue };
        let offset = at.start();
        let read = at.read_content_of_element(|text| parse(text, value));
        read.map_err(|failure| named(field, offset, failure))?;
    }
}

fn named(element: &'static str, offset: usize, failure: CallFailure) -> Ignored {
    Ignored { element, why: IgnoredFor::Fault(failure.why()), offset }
}

fn parse(text: &str, value: Value) -> Called<()> {
    let trimmed = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    let (is_read, wanted) = match value {
        Boolean => {
            let is_word = |word: &str| trimmed.eq_ignore_ascii_case(word);
            (is_word("true") || is_word("false"), "True or False")
        }
        Int => (whole_number(text).is_some_and(|number| i32::try_from(number).is_ok()), "a whole number"),
        Number => (thousands(text).is_some(), "a number"),
        Uuid => (trimmed.is_empty() || parse_uuid(text).is_some(), "a UUID"),
        SpawnPoint => {
            let parts: Vec<&str> = text.split(',').collect();
            let is_point = parts.len() == 3 && parts.iter().all(|part| thousands(part).is_some());
            (is_point, "three numbers")
        }
        Any => (true, ""),
    };
    let wanted = wanted.into();
    match is_read {
        true => Ok(()),
        false if trimmed.is_empty() => threw(LoadFault::Empty { wanted }),
        false => threw(LoadFault::Other { text: excerpt(trimmed), wanted }),
    }
}

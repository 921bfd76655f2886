//! Findings, and the one table of codes.
//!
//! A finding is numbers and a place: the sentence is made from the rule's template when it is written. The
//! table at the end of this file is read by reports, documentation and severities alike, so a code has one
//! meaning. A code once published keeps it.

use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt};
use uuid::Uuid;

/// How bad a finding is, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// May go wrong.
    Warning,
    /// Is wrong, or will be after a move.
    Error,
    /// A migration would lose or refuse data.
    Blocker,
}

impl Severity {
    /// All severities, worst first, as reports list them.
    pub const WORST_FIRST: [Self; 4] = [Self::Blocker, Self::Error, Self::Warning, Self::Info];

    /// The name used in reports and settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Blocker => "blocker",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where a finding was made. Decoders fill in what they know; the scan adds the entry and the asset.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default)]
pub struct Place {
    /// Member of the archive or file below the input; empty for the input itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub entry: String,
    /// Root UUID of the object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object: Option<Uuid>,
    /// UUID of the part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<Uuid>,
    /// Link number of the part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_number: Option<i32>,
    /// UUID of the asset.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asset: Option<Uuid>,
    /// Block of a mesh, or element of an XML document.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub within: Cow<'static, str>,
    /// Number of the hull or submesh, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<u32>,
    /// Byte offset in the entry, or in the inflated block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset: Option<u64>,
}

/// One thing found: a code, numbers and a place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Which rule.
    pub code: Code,
    /// Where.
    #[serde(default)]
    pub place: Place,
    /// What was measured, in the rule's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<f64>,
    /// What the limit is, in the rule's unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// What differs from case to case, in words.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Finding {
    /// A finding of `code`, with nothing else known yet.
    pub fn new(code: Code) -> Self {
        Self { code, place: Place::default(), measured: None, limit: None, detail: String::new() }
    }

    /// Adds the part of the sentence that differs from case to case.
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Adds what was measured.
    pub fn measured(mut self, value: impl Into<f64>) -> Self {
        self.measured = Some(value.into());
        self
    }

    /// Adds the limit that it was measured against.
    pub fn limit(mut self, value: impl Into<f64>) -> Self {
        self.limit = Some(value.into());
        self
    }

    /// Says which block of the mesh, or which element of the document.
    pub fn within(mut self, within: impl Into<Cow<'static, str>>) -> Self {
        self.place.within = within.into();
        self
    }

    /// Says which hull or submesh, from 0.
    pub fn index(mut self, index: usize) -> Self {
        self.place.index = u32::try_from(index).ok();
        self
    }

    /// Says which byte.
    pub fn offset(mut self, offset: usize) -> Self {
        self.place.offset = Some(offset as u64);
        self
    }

    /// Says which member of the input.
    pub fn entry(mut self, entry: impl Into<String>) -> Self {
        self.place.entry = entry.into();
        self
    }

    /// The sentence for a person: the rule's template with this finding's numbers in it.
    pub fn message(&self) -> String {
        let number = |value: Option<f64>| value.map_or_else(|| "unknown".to_owned(), plain);
        let mut text = self
            .code
            .rule()
            .message
            .replace("{measured}", &number(self.measured))
            .replace("{limit}", &number(self.limit))
            .replace("{within}", &self.place.within)
            .replace("{index}", &self.place.index.map_or_else(|| "?".into(), |i| i.to_string()));
        // Last, so that braces in an export's own words stay words.
        text = text.replacen("{detail}", &self.detail, 1);
        text
    }
}

/// A number as people write it: no exponent, at most six decimals, none that say nothing.
pub fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// What the table says of a code.
#[derive(Debug)]
pub struct Rule {
    /// The code.
    pub code: Code,
    /// How bad, unless the target's profile says otherwise.
    pub severity: Severity,
    /// What it is, as a heading.
    pub title: &'static str,
    /// The sentence, with places for `{measured}`, `{limit}`, `{within}`, `{index}` and `{detail}`.
    pub message: &'static str,
    /// Unit of the numbers; empty where there are none.
    pub unit: &'static str,
    /// What to do about it.
    pub advice: &'static str,
}

macro_rules! rules {
    ($($code:ident $severity:ident $unit:literal $title:literal, $message:literal, $advice:literal;)*) => {
        /// Every code that a report may hold.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Code { $(#[doc = $title] $code,)* }

        /// The table of rules, in the order of their codes' families.
        pub static RULES: &[Rule] = &[$(Rule {
            code: Code::$code,
            severity: Severity::$severity,
            title: $title,
            message: $message,
            unit: $unit,
            advice: $advice,
        },)*];

        impl Code {
            /// The code as it is printed.
            pub fn name(self) -> &'static str {
                match self { $(Self::$code => stringify!($code),)* }
            }
        }
    };
}

impl Code {
    /// The row of the table for this code.
    pub fn rule(self) -> &'static Rule {
        &RULES[self as usize]
    }

    /// The code with this name, in any case.
    pub fn parse(name: &str) -> Option<Self> {
        RULES.iter().map(|rule| rule.code).find(|code| code.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

rules! {
    ARC001 Blocker "" "Archive is damaged or cut short",
        "The compressed stream cannot be read to its end: {detail}",
        "Make the export again and compare its size with earlier ones; OpenSim restores only what stands before the damage.";
    ARC002 Blocker "bytes" "Tar structure is broken",
        "The tar structure is broken: {detail}",
        "Make the export again; a loader stops silently at this place.";
    ARC003 Blocker "" "Control file is missing",
        "archive.xml is missing: {detail}",
        "OpenSim refuses the archive; put archive.xml back at the top level of the archive.";
    ARC005 Warning "" "Control file is not first",
        "archive.xml is not the first entry: {detail}",
        "OpenSim rewinds and reads again, which fails on a stream; save the archive again to be safe.";
    ARC006 Blocker "" "Archive version cannot be loaded",
        "The control file's version is not one that can be loaded: {detail}",
        "OpenSim refuses a major version above 1 or one that is not a number; correct archive.xml.";
    ARC007 Error "" "Tar entries that OpenSim does not know",
        "The archive holds tar records that OpenSim ignores: {detail}",
        "Pack with GNU tar (--format=gnu) and without links, or export again.";
    ARC009 Info "" "Archive has no assets",
        "The archive comes without assets: {detail}",
        "Costs of meshes are not evaluated; export with assets for a whole audit.";
    ARC010 Error "" "Asset name cannot be understood",
        "An asset would not be restored: {detail}",
        "Asset files are named UUID, underscore, type; remove or rename this one.";
    ARC011 Error "" "Unsafe or unreadable entry name",
        "An entry's name is unsafe or not text: {detail}",
        "Do not unpack this archive with other tools; export again.";
    ARC012 Error "" "Over a decoding budget",
        "Given up because a budget is spent: {detail} (measured {measured}, limit {limit})",
        "Raise the limit in [limits] if the content is genuine.";
    ARC013 Warning "" "Manifest and regions disagree",
        "The manifest of a multi-region archive and its folders disagree: {detail}",
        "That region is skipped when loading; correct archive.xml or export again.";
    OBJ001 Blocker "" "Object cannot be read",
        "The object's XML cannot be read: {detail}",
        "OpenSim gives up the load of the whole region at such an object; take it out of the archive or mend it.";
    OBJ002 Blocker "" "Object is not clean text",
        "The object's XML is not clean text: {detail}",
        "Export the object again, or remove the characters that XML does not allow.";
    OBJ006 Error "" "Field cannot be read",
        "A field is missing or cannot be read: {detail}",
        "A default is applied silently when the object is loaded; check the object in-world.";
    OBJ007 Error "characters" "State cannot be restored",
        "What the object was doing cannot be restored whole: {detail}",
        "Scripts and motion may start anew, and with a damaged KeyframeMotion OpenSim gives up the object: export it \
         again, or take the element out.";
    OBJ009 Error "uses" "Nested object is missing",
        "An object in contents is not in this export: {detail}",
        "What was inside is lost; export it on its own.";
    OBJ010 Warning "" "Link numbers are out of order",
        "The link numbers are not 1 to N: {detail}",
        "After loading another part may become the root; relink the object and export again.";
    LNK001 Error "m" "Parts are too far apart to link",
        "The prim centres span {measured} m; a linkset must stay under {limit} m{detail}",
        "Unlink the prims that are farthest out before the move, or the grid will refuse to relink them.";
    LNK002 Error "prims" "Too many prims to link",
        "The linkset has {measured} prims; at most {limit} can be linked{detail}",
        "Split the object into several linksets.";
    HUL001 Error "vertices" "Hull has too many vertices",
        "{detail} has {measured} vertices; the limit is {limit}",
        "Upload the mesh again with a simpler physics shape.";
    HUL002 Error "hulls" "Decomposition has too many hulls",
        "The decomposition has {measured} hulls; the limit is {limit}",
        "Upload the mesh again with a coarser decomposition.";
    HUL003 Error "points" "Hull list and positions disagree",
        "HullList announces {limit} points and Positions holds {measured}: {detail}",
        "Engines read this differently: viewers over-read, ubODE uses the base hull; upload the mesh again.";
    HUL004 Error "bytes" "Point list is not whole points",
        "{detail} of {within} holds {measured} bytes, which is not a multiple of 6",
        "The tail is read as garbage; upload the mesh again.";
    HUL005 Warning "points" "Hull is degenerate",
        "{detail}; it has {measured} different points, and a solid needs {limit}",
        "What collides then depends on the engine; upload the mesh again with a solid physics shape.";
    HUL006 Info "hulls" "Hull of 256 points written as 0",
        "HullList holds a 0, which means 256 points: {detail}",
        "Legal, but some programs read it as an empty hull.";
    HUL007 Error "" "Domain cannot be decoded",
        "The coordinate domain of {within} is unusable: {detail}",
        "Points collapse or lie in the wrong place; upload the mesh again.";
    HUL008 Error "points" "Base hull is missing",
        "The base hull is missing or too small: {detail}",
        "The specification requires it; without one the object may not collide at all. Upload the mesh again.";
    HUL009 Warning "unit cube" "Base hull does not wrap what it should",
        "{detail} sticks out of the base hull by {measured} of the unit cube",
        "The base hull is stale or forged: things collide elsewhere once the object moves. Upload the mesh again.";
    HUL010 Error "" "Half a decomposition",
        "The decomposition is incomplete: {detail}",
        "It is ignored and the base hull is used; upload the mesh again.";
    MSH001 Error "" "Mesh header cannot be read",
        "The mesh header cannot be read: {detail}",
        "The mesh is invisible everywhere; replace the asset.";
    MSH002 Error "bytes" "Block lies outside the file",
        "Block {within} lies outside the file or over another: {detail}",
        "The asset is cut short or forged; replace it.";
    MSH003 Error "" "Block cannot be inflated",
        "Block {within} cannot be inflated: {detail}",
        "The asset is damaged; replace it.";
    MSH004 Error "" "Highest level of detail is missing",
        "high_lod is missing: {detail}",
        "Nothing is drawn; upload the mesh again.";
    MSH005 Info "triangles" "Level of detail is not simpler",
        "{within} has {measured} triangles, more than the {limit} of the level above it",
        "It costs more than it needs to.";
    MSH006 Error "indices" "Indices point outside",
        "{measured} triangle indices of {within}, submesh {index}, point past its {limit} vertices{detail}",
        "The mesh is damaged; upload it again.";
    MSH010 Warning "triangles" "Physics mesh has triangles without width",
        "{measured} of {limit} triangles of the physics mesh have no width",
        "They make the physics cost explode; clean the physics model and upload it again.";
    MSH011 Info "" "Old or doubled block names",
        "The mesh uses names of blocks that not every engine knows: {detail}",
        "Check the physics of the object in-world after the move.";
    MSH014 Error "bytes" "Asset is empty",
        "The asset holds nothing: {detail}",
        "It counts as failed when loaded; replace it.";
    MSH015 Error "" "Block's content cannot be understood",
        "Block {within} holds something else than it should: {detail}",
        "The asset is damaged or from a program that does not follow the format; replace it.";
    MSH016 Warning "" "Mesh has an oddity",
        "The mesh is unusual: {detail}",
        "Viewers and engines may read it differently; check it in-world.";
    PHY001 Error "" "Physical object is over the cap",
        "The object is physical and its physics cost is {measured}; the cap is {limit}{detail}",
        "It cannot be made physical again: simplify its physics shape or set it to Convex Hull; `hullmark slim` says of which parts.";
    PHY002 Info "" "Too costly to become physical",
        "The physics cost is {measured}, so the object may not be made physical (cap {limit}){detail}",
        "Nothing to do unless it is meant to move.";
    PHY007 Info "" "Shape type Prim on a mesh without physics shape",
        "The part is set to Prim but its mesh has neither decomposition nor physics mesh: {detail}",
        "It collides as its base hull.";
    PHY008 Warning "parts" "Collision shape changes between grids",
        "{measured} parts collide as something else by profile {within}: {detail}",
        "Doorways may close up or open: try the object on that grid, or upload its meshes again with a physics shape \
         that both engines read alike.";
    CST001 Error "" "Over capacity",
        "{detail}: land impact {measured}, capacity {limit}",
        "Objects are returned or refused; remove or simplify some, or ask for a larger capacity.";
    CST003 Info "" "Cost differs between grids",
        "Land impact is {limit}, and {measured} by profile {within}{detail}",
        "Plan the parcel for the grid that it will stand on.";
    CST005 Info "parts" "Cost is not fully evaluated",
        "{measured} of {limit} parts have no physics cost: {detail}",
        "The object's costs are lower bounds.";
    AST001 Error "uses" "Mesh or sculpt map is missing",
        "An asset that gives a part its form is used and not in this export: {detail}",
        "The part will be invisible or without its form after the move; find the asset or remove the part.";
    AST004 Error "" "Asset cannot be decoded",
        "The asset cannot be decoded: {detail}",
        "Whatever uses it loses its form; export again, or replace it.";
    REG004 Warning "bytes" "Parcel bitmap cannot be used",
        "The parcel's bitmap cannot be used: {detail}",
        "The parcel is skipped when loading; save the region again.";
    REG005 Warning "" "Region file cannot be read",
        "Settings or parcel data cannot be read: {detail}",
        "They are lost when loading; save the region again.";
    RUN001 Error "" "Not read",
        "This could not be read: {detail}",
        "The audit is incomplete: make it readable and run again.";
    RUN005 Error "" "Internal error",
        "hullmark failed here: {detail}",
        "Please report it with the file; the rest of the audit is not affected.";
    RUN006 Info "findings" "More of the same",
        "{measured} more findings of {detail} in this input are not listed",
        "Mend the listed ones first, or raise findings_per_code in [limits].";
    RUN007 Info "bytes" "File of unknown kind",
        "Not audited, because its kind is not known: {detail}",
        "Nothing to do if it is not an export.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_finds_its_own_row() {
        for rule in RULES {
            assert_eq!(rule.code.rule().code, rule.code);
            assert_eq!(Code::parse(&rule.code.name().to_lowercase()), Some(rule.code));
            assert!(
                rule.message.ends_with(|c: char| c != '.'),
                "{}: templates end without a stop",
                rule.code
            );
        }
    }

    #[test]
    fn a_message_takes_numbers_and_leaves_the_exports_own_braces() {
        let finding = Finding::new(Code::LNK001).measured(60.0).limit(54.0).detail("; {limit} is a name");
        assert_eq!(
            finding.message(),
            "The prim centres span 60 m; a linkset must stay under 54 m; {limit} is a name"
        );
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(plain(32.0), "32");
        assert_eq!(plain(0.1 + 0.2), "0.3");
        assert_eq!(plain(1e20), "100000000000000000000");
        assert_eq!(plain(-0.000_000_01), "0");
    }
}

//! The problems that letters name, each with its rules and its cure.
//!
//! Letters are grouped by cure, not by rule: several rules that look the same to an owner are one problem. A rule that
//! is not listed here is a problem for the operator.

use super::{
    actions::COPIES,
    words::{Cure, Key},
};
use hullmark_finding::{Code, Finding};
use hullmark_settings::profile::{Grid, Profile};

/// A problem in letters.
pub(super) struct Problem {
    /// Its sentence. The attribute `amount` of the sentence has measured value and limit.
    pub(super) key: Key,
    /// Its cure.
    pub(super) cure: Cure,
    /// Its rules.
    pub(super) codes: &'static [Code],
}

/// Creates the list of problems.
macro_rules! problems {
    ($($cure:ident: $($key:ident [$($code:ident)*])+;)+) => {
        &[$($(Problem { key: Key::$key, cure: Cure::$cure, codes: &[$(Code::$code),*] },)+)+]
    };
}

/// All problems. Of two that are equally severe and frequent, the first comes first.
pub(super) static PROBLEMS: &[Problem] = problems! {
    LandRoom: LandFull [CST001];
    FewerPrims: LandPrims [REG001];
    ConvexHull: TooHeavyToMove [PHY001] ObjectTooHeavy [] ThinTriangles [PHY011 MSH010] PhysicsMeshLarge [MSH008];
    ShapeNone: ManyColliding [PHY005];
    LeaveRoom: NoRoomForEdit [CST002];
    Split: TooManyPrims [LNK002 PHY003];
    Unlink: TooWide [LNK001] ChildFar [POS004];
    Smaller: PrimTooLarge [PHY004];
    RootShape: RootNone [PHY006];
    UploadMesh: MeshDamaged [HUL003 HUL004 HUL007 HUL010 MSH001 MSH002 MSH003 MSH004 MSH006 MSH014 MSH015 MSH016 MSH017]
        HullMissing [HUL005 HUL008 HUL009] HullComplex [HUL001 HUL002] MeshTooLarge [MSH007] CollidesElsewhere [PHY008];
    DeleteCopy: SamePlace [OBJ005] SharedUuid [OBJ004];
    SetAgain: InvalidShape [OBJ006 POS001 POS005 POS009];
    MoveInside: Outside [POS002] WrongHeight [POS003];
    Nested: NestedMissing [OBJ009] NestedDeep [OBJ012];
    Relink: LinkOrder [OBJ010];
    ReplaceAsset: AssetMissing [AST001 AST003 VWR001] AssetDamaged [AST004 AST012];
    TextureSize: TextureNotShown [AST009];
    FewerScripts: ManyScripts [SCR006];
    RewriteScript: ScriptRefused [SCR002 SCR003];
    ScriptData: ScriptDataLost [OBJ013 SCR005];
    CheckParcel: ParcelDamaged [REG004 REG005 REG008];
    DeleteItems: InventoryItems [INV007] InventoryLinks [INV006];
    Operator: InventoryFolders [INV001 INV002 INV003 INV004 INV005]
        FileDamaged [OBJ001 OBJ002 OBJ007 OBJ014 OBJ016 REG006 ARC012] UuidMissing [OBJ003 OBJ015] MeshConflict [ARC010 MSH013 XAR002]
        Other [];
};

/// Returns the index of the problem of a rule. A rule about land may also have a budget for one object.
pub(super) fn problem_of(code: Code, of_land: bool) -> usize {
    let listed = if code == Code::CST001 && !of_land {
        PROBLEMS.iter().position(|problem| problem.key == Key::ObjectTooHeavy)
    } else {
        PROBLEMS.iter().position(|problem| problem.codes.contains(&code))
    };
    // The last one is any other problem.
    listed.unwrap_or(PROBLEMS.len() - 1)
}

/// Whether a rule is about thin triangles of physics meshes. They matter where another physics shape lowers land impact.
pub(super) fn is_about_widths(code: Code) -> bool {
    matches!(code, Code::MSH010 | Code::PHY011)
}

/// Whether a finding matters to an owner on this target. OpenSimulator charges no widths of triangles, and builds the same
/// shape from a mesh with an old fault as before. It has no published limits either, so without a chosen target they are
/// no problem of owners. Many copies are the task of the operator.
pub(super) fn matters(finding: &Finding, profile: &Profile) -> bool {
    let code = finding.code;
    let is_task_of_operator = code == Code::OBJ005 && finding.measured > Some(COPIES as f64);
    let is_published_limit = matches!(&code.name()[..3], "LNK" | "PHY" | "CST") && profile.is_in_two_parts();
    let is_old_fault = is_about_widths(code) || matches!(code, Code::HUL005 | Code::HUL009);
    let has_effect = profile.loader() == Grid::SecondLife || !(is_old_fault || is_published_limit);
    has_effect && !is_task_of_operator
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_rule_has_one_problem_and_any_rule_has_some() {
        let listed: Vec<Code> = PROBLEMS.iter().flat_map(|problem| problem.codes).copied().collect();
        assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
        let key = |code, land| PROBLEMS[problem_of(code, land)].key;
        assert_eq!([key(Code::CST001, true), key(Code::CST001, false)], [Key::LandFull, Key::ObjectTooHeavy]);
        assert_eq!([key(Code::PHY001, false), key(Code::HIS001, false)], [Key::TooHeavyToMove, Key::Other]);
    }

    #[test]
    fn a_finding_matters_where_its_cure_has_an_effect() {
        let targets =
            ["second-life", "opensim-ubode", "opensim-load"].map(|name| Profile::load(name).unwrap());
        let matters_on = |code| [0, 1, 2].map(|target: usize| matters(&Finding::new(code), &targets[target]));
        assert_eq!(matters_on(Code::POS002), [true; 3]);
        assert_eq!(matters_on(Code::HUL002), [true; 3], "no engine reads such a mesh");
        assert_eq!(matters_on(Code::MSH010), [true, false, false], "one grid charges widths");
        assert_eq!(matters_on(Code::HUL009), [true, false, false], "it collides there as before");
        assert_eq!(matters_on(Code::LNK001), [true, true, false], "a published limit");
        let copies = |count: f64| matters(&Finding::new(Code::OBJ005).measured(count), &targets[0]);
        assert_eq!([copies(20.0), copies(21.0)], [true, false]);
    }
}

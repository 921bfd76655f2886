//! HUL: convex hulls against the published limits.

use super::{mesh::unread, place::at_mesh};
use crate::{RuleOutcomes, abridged};
use hullmark_analysis::{Measured, physics_shape};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_ledger::facts::{ConvexFacts, HullFacts, HullSource, MeshFacts};
use hullmark_util::number_text::{counted, grouped};
use std::collections::HashMap;
use uuid::Uuid;

rules! {
    HUL001 "vertices" "Hull has too many vertices" {
        about: Mesh,
        effect: Changes,
        check: too_many_vertices,
        message: "{detail} has {measured} vertices; the limit is {limit}",
        why: "In a valid mesh asset the base hull and each hull of the decomposition have at most 256 vertices. A \
              list of hulls cannot state more than 256, so a larger hull is always the base hull.",
        fix: "Upload the mesh again with a simpler physics shape.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model > Physics.",
        source: "Second Life wiki, Mesh/Mesh physics; viewer, llmodelpreview.cpp, TOOMANYVERTSINHULL",
    }

    HUL002 "hulls" "Decomposition has too many hulls" {
        about: Mesh,
        effect: Changes,
        check: too_many_hulls,
        message: "The decomposition has {measured} hulls; the limit is {limit}",
        why: "A decomposition has at most 256 hulls of at most 256 vertices each.",
        engines: [
            "Viewers" => "Have an error message for this that nothing triggers, so the uploader does not warn.",
        ],
        fix: "Upload the mesh again with a coarser decomposition.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model > Physics.",
        source: "Second Life wiki, Mesh/Mesh physics; viewer, llmodelpreview.cpp, TOOMANYHULLS",
    }

    HUL003 "points" "HullList and Positions disagree" {
        about: Mesh,
        effect: Changes,
        message: "HullList announces {limit} points but Positions holds {measured}: {detail}",
        why: "HullList states how many points of Positions each hull takes. If the sum differs from the number of \
              points, each program collides with something else.",
        engines: [
            "Viewers" => "Read past the end of the list if points are missing, and ignore surplus points.",
            "ubODE" => "Ignores the whole decomposition and uses the base hull.",
            "OpenSimulator" => "Meshmerizer adds missing points at Min and ignores surplus points.",
            "Others" => "LibreMetaverse and WhiteCore add missing points at Min and ignore surplus points.",
            "Halcyon" => "Uses the points that are there and ignores surplus points.",
            "node-metaverse" => "Fails.",
            "SilverSim" => "Fails if points are missing, and makes hulls of the high level of detail. Ignores \
                surplus points.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Viewer, llmodel.cpp:1879, Decomposition::fromLLSD; OpenSim, \
              ubOdeMeshing/Meshmerizer.cs:526, Meshing/Meshmerizer/Meshmerizer.cs; LibreMetaverse, \
              MeshFoundry.cs, MeshSubMeshAsConvexHulls; node-metaverse, LLMesh.ts; Halcyon and WhiteCore, \
              Meshmerizer.cs; SilverSim, PhysicsConvexShape.cs, PhysicsShapeManager.cs",
    }

    HUL004 "bytes" "Point list has partial points" {
        about: Mesh,
        effect: Changes,
        message: "{detail} of {within} holds {measured} bytes, which is not a multiple of 6",
        why: "A point is three numbers of two bytes each. A list of another length was cut, or a program wrote it \
              that does not follow the format.",
        engines: [
            "Viewers" => "Drop the partial point.",
            "ubODE" => "Drops the partial point of a decomposition. Reads a base hull in steps of 6 bytes without \
                checking its length, and so past its end.",
            "OpenSimulator" => "Meshmerizer fills the last point of a base hull with 0.",
            "Others" => "LibreMetaverse, Halcyon and WhiteCore fill the last point of a base hull with 0.",
            "node-metaverse" => "Fails.",
            "SilverSim" => "Drops the partial point.",
        ],
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              GenerateCoordsAndFacesFromPrimMeshData; viewer, llmodel.cpp, Decomposition::fromLLSD; \
              libopenmetaverse, UtilsConversions.cs, BytesToUInt16; node-metaverse, LLMesh.ts, \
              decodeByteDomain3",
    }

    HUL005 "m" "Hull has no volume" {
        about: Mesh,
        effect: Changes,
        check: degenerate,
        message: "A hull has no volume at any scale: {detail}",
        why: "A hull needs four different points that are not in one plane. What collides otherwise depends on the \
              engine. A few dozen meshes in real exports have a base hull of three points.",
        engines: [
            "Viewers" => "Use such a hull as it is: the check is commented out.",
            "ubODE" => "Skips a hull of fewer than 3 points, and makes one triangle of 3 points. Computes a hull of \
                4 or more points, and drops it if that fails.",
            "OpenSimulator" => "Meshmerizer uses the hull as it is and does not count its points.",
            "Others" => "LibreMetaverse, node-metaverse, Halcyon, WhiteCore and SilverSim use the hull as it is and \
                do not count its points.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again with a solid physics shape.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model > Physics.",
        source: "Viewer, llmodel.cpp, Decomposition::fromLLSD; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; SilverSim, PhysicsConvexShape.cs, Load",
    }

    HUL006 "hulls" "HullList states 256 points as 0" {
        about: Mesh,
        effect: Note,
        check: written_as_zero,
        message: "HullList holds a 0, which means 256 points, for {detail}",
        why: "A byte cannot hold 256, so the format writes 0. That is legal, but some programs do not know it.",
        engines: [
            "Viewers" => "Read 256.",
            "ubODE" => "Reads 256.",
            "OpenSimulator" => "Meshmerizer reads 256.",
            "Others" => "LibreMetaverse, WhiteCore and SilverSim read 256.",
            "node-metaverse" => "Reads 0 and fails, because the sum is wrong.",
            "Halcyon" => "Reads 0: it loses the points of this hull, and takes those of later hulls from the wrong \
                place.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Do nothing, unless a program that reads 0 as an empty hull must read the mesh.",
        source: "Second Life wiki, Mesh/Mesh physics: \"'0' is special cased to indicate 256 points\"; \
              Halcyon, Meshmerizer.cs, TryExtractConvexSet; node-metaverse, LLMesh.ts",
    }

    HUL007 "" "Coordinate domain is unusable" {
        about: Mesh,
        effect: Changes,
        message: "The coordinate domain of {within} is unusable: {detail}",
        why: "Points are stored as fractions of a box from Min to Max. If the box is inverted, or a corner is not \
              finite, points collapse or lie in the wrong place.",
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh physics: Min and Max; viewer, llmodel.cpp",
    }

    HUL008 "points" "Base hull is missing" {
        about: Mesh,
        effect: Changes,
        message: "The base hull is missing or too small: {detail}",
        why: "Every mesh asset must have one convex hull around everything. The base hull collides for the shape \
              type Convex Hull. Without a decomposition it also collides if the object moves or has a side below 0.5 \
              m. The uploader refuses a mesh without base hull, so another program made this asset.",
        engines: [
            "ubODE" => "Makes no collision shape of fewer than 3 points, and avatars fall through. Uses the base \
                hull for Convex Hull, and for a mesh without physics mesh and usable decomposition.",
            "OpenSimulator" => "Meshmerizer never uses the base hull. It takes the physics mesh, then the medium and \
                the high level of detail.",
            "WhiteCore" => "Never uses the base hull. It takes the physics mesh, then the medium and the high level \
                of detail.",
            "Viewers" => "Use what is there.",
            "Others" => "LibreMetaverse, node-metaverse and Halcyon use what is there.",
            "SilverSim" => "Uses what is there. Without a base hull it makes hulls of the high level of detail.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again: without a base hull the object may not collide at all.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh physics; OpenSim, BunchOfCaps/MeshCost.cs, \
              ubOdeMeshing/Meshmerizer.cs, ubOde/ODEPrim.cs, CreateGeom; Halcyon, Meshmerizer.cs, \
              TryExtractSingleConvex; SilverSim, PhysicsShapeManager.cs",
    }

    HUL009 "m" "Base hull does not enclose the rest" {
        about: Mesh,
        effect: Changes,
        check: base_does_not_wrap,
        message: "{detail}",
        why: "The base hull must enclose the decomposition and the physics mesh. If it does not, the blocks do not \
              belong together. The object then collides in one place at rest and in another in motion. Levels of \
              detail may extend beyond it: nine in ten real base hulls came from a coarser source. The distance is \
              that at the largest scale in use. Below 1 cm it is information.",
        fix: "Upload the mesh again: its base hull was not made from this mesh.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh physics: Hull \"wraps entire physical mesh\"",
    }

    HUL010 "" "Decomposition is incomplete" {
        about: Mesh,
        effect: Changes,
        message: "The decomposition is incomplete: {detail}",
        why: "A decomposition has two lists, HullList and Positions. Programs that need both use the base hull if \
              one is missing. What collides depends on the engine.",
        engines: [
            "Viewers" => "Use the base hull.",
            "ubODE" => "Uses the base hull.",
            "OpenSimulator" => "Meshmerizer needs only HullList. Without Positions it puts all points at Min.",
            "Others" => "LibreMetaverse and WhiteCore need only HullList. Without Positions they put all points at \
                Min.",
            "node-metaverse" => "Fails without Positions, and ignores Positions without HullList.",
            "SilverSim" => "Makes hulls of the high level of detail.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Viewer, llmodel.cpp, Decomposition::fromLLSD; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; node-metaverse, LLMesh.ts; SilverSim, \
              PhysicsConvexShape.cs, Load",
    }
}

/// Thickness, in metres, of a hull whose points are in one plane. It is the same at any scale of the part.
const FLAT_M: f64 = 0.0;

/// A part that extends beyond the base hull by less than this is harmless, in metres.
const HARMLESS_M: f64 = 0.01;

/// Returns every readable convex block. Counts the meshes whose block could not be read.
fn convex_blocks<'a>(
    measured: &Measured<'a>,
    code: Code,
    outcomes: &mut RuleOutcomes,
) -> impl Iterator<Item = (&'a MeshFacts, &'a ConvexFacts)> + use<'a> {
    let meshes = &measured.ledger.meshes;
    unread(measured, code, outcomes, |mesh| mesh.convex.is_none() && physics_shape::lists_convex(mesh));
    meshes.iter().filter_map(|mesh| mesh.convex.as_ref().map(|convex| (mesh, convex)))
}

/// Returns every hull of a convex block, the base hull first: the finding to complete, the name and the facts.
fn hulls<'a>(
    mesh: &'a MeshFacts,
    convex: &'a ConvexFacts,
    code: Code,
) -> impl Iterator<Item = (Finding, String, &'a HullFacts)> {
    let base = convex
        .base
        .iter()
        .map(move |hull| (at_mesh(mesh, code).within("base hull"), "The base hull".to_owned(), hull));
    base.chain(convex.hulls.iter().enumerate().map(move |(index, hull)| {
        let finding = at_mesh(mesh, code).within("decomposition").index(index);
        (finding, format!("Hull {index} of the decomposition"), hull)
    }))
}

/// "A single convex hull with no more than 256 vertices". The same limit applies to each hull of a decomposition.
fn too_many_vertices(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let limit = measured.profile.hulls.max_vertices;
    for (mesh, convex) in convex_blocks(measured, Code::HUL001, outcomes) {
        for (finding, name, hull) in hulls(mesh, convex, Code::HUL001) {
            if hull.points > limit {
                outcomes.push(finding.detail(name).measured(hull.points).limit(limit));
            }
        }
    }
}

/// "Up to 256 hulls."
fn too_many_hulls(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let limit = measured.profile.hulls.max_hulls;
    for (mesh, convex) in convex_blocks(measured, Code::HUL002, outcomes) {
        let count = convex.hulls.len();
        if count > limit as usize {
            outcomes.push(at_mesh(mesh, Code::HUL002).measured(count as f64).limit(limit));
        }
    }
}

/// A hull of fewer than four different points, or of points in one plane, has no volume. The hulls of a decomposition
/// share one finding.
fn degenerate(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (mesh, convex) in convex_blocks(measured, Code::HUL005, outcomes) {
        if let Some(base) = convex.base.filter(|base| base.rank < 3) {
            let detail = format!("the base hull {}", span(&base));
            let finding = at_mesh(mesh, Code::HUL005).within("base hull").detail(detail);
            outcomes.push(finding.measured(FLAT_M));
        }
        let flat = convex.hulls.iter().enumerate().filter(|(_, hull)| hull.rank < 3);
        let (numbers, flat): (Vec<String>, Vec<&HullFacts>) =
            flat.map(|(index, hull)| (index.to_string(), hull)).unzip();
        let Some(worst) = flat.iter().min_by_key(|hull| (hull.rank, hull.unique_points)) else { continue };
        let detail = format!(
            "{} of {} in the decomposition (number {}); the flattest {}",
            flat.len(),
            counted(convex.hulls.len() as u64, "hull"),
            abridged(&numbers),
            span(worst),
        );
        let finding = at_mesh(mesh, Code::HUL005).within("decomposition").detail(detail);
        outcomes.push(finding.measured(FLAT_M));
    }
}

/// Describes the span of the points of a hull without volume.
fn span(hull: &HullFacts) -> String {
    match (hull.unique_points, hull.rank) {
        (0, _) => "is empty".into(),
        (_, 0) => "is one point".into(),
        (count, 1) => format!("is a line of {}", counted(count.into(), "point")),
        (count, _) => format!("has {} in one plane", counted(count.into(), "point")),
    }
}

/// A hull of 256 points is written as 0 in `HullList`. Only a decomposition has such a list.
fn written_as_zero(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for (mesh, convex) in convex_blocks(measured, Code::HUL006, outcomes) {
        let count = convex.hulls.iter().filter(|hull| hull.points == 256).count();
        if count > 0 {
            let detail = format!("{count} of {}", counted(convex.hulls.len() as u64, "hull"));
            outcomes.push(at_mesh(mesh, Code::HUL006).measured(count as f64).detail(detail));
        }
    }
}

/// The base hull must enclose the decomposition and the physics mesh. A level of detail that is only drawn may extend
/// beyond it. Nine in ten base hulls of real exports come from a coarser source than the specification names.
fn base_does_not_wrap(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let longest_sides = longest_sides(measured);
    for (mesh, convex) in convex_blocks(measured, Code::HUL009, outcomes) {
        let side_m = mesh.uuid.and_then(|uuid| longest_sides.get(&uuid)).copied();
        let hulls = convex.hulls.iter().filter_map(|hull| hull.outside_base).map(f64::from);
        let hulls_outside = hulls.clone().filter(|&distance| distance > 0.0).count();
        let worst_hull = hulls.fold(0.0, f64::max);
        if hulls_outside > 0 {
            let hulls = counted(convex.hulls.len() as u64, "hull");
            let what = format!("The decomposition ({hulls_outside} of {hulls})");
            outcomes.push(beyond_base(
                at_mesh(mesh, Code::HUL009).within("decomposition"),
                &what,
                worst_hull,
                side_m,
            ));
        }
        let physics = mesh.source_hull.filter(|hull| hull.source == HullSource::PhysicsMesh);
        if let Some(wrap) = physics.and_then(|hull| hull.wrap).filter(|wrap| wrap.points_outside > 0) {
            let finding = at_mesh(mesh, Code::HUL009).within("physics mesh");
            outcomes.push(beyond_base(finding, "The physics mesh", wrap.worst_distance.0, side_m));
        }
    }
}

/// Returns the longest side in metres at which each mesh is used.
fn longest_sides(measured: &Measured<'_>) -> HashMap<Uuid, f64> {
    let mut sides: HashMap<Uuid, f64> = HashMap::new();
    let parts = measured.ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    for part in parts.filter(|part| part.scale.is_finite()) {
        if let Some(mesh) = part.mesh() {
            let longest = sides.entry(mesh).or_default();
            *longest = longest.max(part.scale.max_element());
        }
    }
    sides
}

/// Completes a finding about something that extends beyond the base hull by a distance in the unit cube. In metres, this
/// is at most the distance times the longest side. Below [`HARMLESS_M`] it is information.
fn beyond_base(finding: Finding, what: &str, distance: f64, longest_side_m: Option<f64>) -> Finding {
    let Some(side_m) = longest_side_m else {
        let share = grouped(distance);
        return finding.detail(format!("{what} extends beyond the base hull by {share} of the mesh's size"));
    };
    let beyond_m = distance * side_m;
    let words = match beyond_m < 0.001 {
        true => "less than 0.001 m".to_owned(),
        false => format!("up to {} m", grouped((beyond_m * 1000.0).round() / 1000.0)),
    };
    let detail = format!("{what} extends beyond the base hull by {words} at the largest scale in use");
    let finding = finding.measured(beyond_m).detail(detail);
    if beyond_m < HARMLESS_M { finding.at_most(Severity::Info) } else { finding }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres_at_the_largest_scale_grade_a_base_hull() {
        let graded = |distance, side_m| {
            let finding = beyond_base(Finding::new(Code::HUL009), "It", distance, side_m);
            (finding.detail, finding.measured, finding.at_most)
        };
        let metres =
            |words: &str| format!("It extends beyond the base hull by {words} at the largest scale in use");
        let info = Some(Severity::Info);
        assert_eq!(graded(0.5, Some(64.0)), (metres("up to 32 m"), Some(32.0), None));
        assert_eq!(graded(0.25, Some(0.0625)), (metres("up to 0.016 m"), Some(0.015_625), None));
        assert_eq!(graded(0.125, Some(0.0625)), (metres("up to 0.008 m"), Some(0.007_812_5), info));
        assert_eq!(graded(0.0001, Some(1.0)), (metres("less than 0.001 m"), Some(0.0001), info));
        let share = "It extends beyond the base hull by 0.5 of the mesh's size";
        assert_eq!(graded(0.5, None), (share.into(), None, None));
    }
}

//! MSH: mesh assets, from facts. Decoders report defects in the bytes.

use super::place::at_mesh;
use crate::{RuleOutcomes, SkipReason};
use hullmark_analysis::{Measured, cost::physics, physics_shape};
use hullmark_finding::{Code, Finding};
use hullmark_format::mesh::LODS;
use hullmark_geometry::triangle;
use hullmark_ledger::facts::MeshFacts;
use hullmark_settings::profile::{Physics, PhysicsModel};
use hullmark_util::number_text::{plain, thousands};

rules! {
    MSH001 "" "Mesh header cannot be read" {
        about: Mesh,
        effect: Loses,
        message: "The mesh header cannot be read: {detail}",
        why: "The header states where each block is. Nothing of the mesh can be shown if the header is not an LLSD \
              map or has a version above 999. It may also be a viewer's note that the asset does not exist. \
              WhiteCore's users see \"Unknown type marker\" and an invisible mesh.",
        fix: "Replace the asset: it is invisible everywhere.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; viewer, llmeshrepository.cpp, headerReceived; \
                 WhiteCore, issue 298",
    }

    MSH002 "bytes" "Block is outside the file" {
        about: Mesh,
        effect: Loses,
        message: "Block {within} is outside the file or overlaps another block: {detail}",
        why: "Each block has an offset and a size. If they reach past the end of the file, the asset was cut short. \
              If two blocks share bytes, the header is forged or was written wrongly.",
        fix: "Replace the asset.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; viewer, llmodel.cpp, loadModel",
    }

    MSH003 "" "Block cannot be decompressed" {
        about: Mesh,
        effect: Loses,
        message: "Block {within} cannot be decompressed: {detail}",
        why: "Each block is a zlib stream. From a damaged or cut stream nothing can be read: the level of detail is \
              not drawn, or the physics shape is missing. A wrong checksum alone is MSH016.",
        engines: [
            "Viewers" => "Also refuse a block whose checksum alone is wrong (MSH016).",
            "OpenSimulator" => "Reads a block whose checksum alone is wrong (MSH016).",
        ],
        fix: "Replace the asset.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "RFC 1950; viewer, llsdserialize.cpp, unzip_llsd; WhiteCore, issue 36",
    }

    MSH004 "" "Highest level of detail is missing" {
        about: Mesh,
        effect: Loses,
        message: "The highest level of detail, high_lod, is missing: {detail}",
        why: "Every mesh must have high_lod. Lower levels of detail replace it only from afar. Without it an upload \
              is refused, and up close nothing is drawn.",
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh Asset Format",
    }

    MSH005 "triangles" "Lower level of detail is not simpler" {
        about: Mesh,
        effect: Note,
        check: level_not_simpler,
        message: "{within} has {measured} triangles, more than the {limit} of the next higher level of detail",
        why: "Each lower level of detail must have fewer triangles than any higher one. Otherwise the mesh costs \
              more to draw from afar than from near. Its download weight (streaming cost) is higher, too.",
        fix: "Upload the mesh again with simpler lower levels of detail.",
        fix_owner: "Upload the mesh again with simpler lower levels if you made it, or ask its creator to. In the \
              viewer: Build > Upload > Model > Level of Detail.",
        source: "Second Life wiki, Mesh/Mesh Asset Format",
    }

    MSH006 "indices" "Triangle indices are out of range" {
        about: Mesh,
        effect: Loses,
        message: "Submesh {index} of {within} has {limit} vertices, but its triangles use {measured} indices beyond them{detail}",
        why: "A triangle names its corners by vertex number. An index beyond the last vertex names a corner that \
              does not exist.",
        engines: [
            "Viewers" => "Check this only at upload, not when they load the mesh.",
        ],
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Viewer, llmodelpreview.cpp, validate_face; llvolume.cpp, unpackVolumeFacesInternal",
    }

    MSH007 "bytes" "Meshes are too large" {
        about: Asset,
        effect: Overfills,
        check: too_large,
        message: "{detail} {measured} bytes; the limit is {limit} bytes",
        why: "In Second Life a mesh asset may have 8 MB, compressed. The different meshes of a region may have 128 \
              MB together, attachments not counted. No page of Linden Lab states this; guides for builders do.",
        engines: [
            "OpenSimulator" => "Has no such limit.",
        ],
        fix: "Simplify the mesh or split it into several. For a region, use fewer different meshes.",
        fix_owner: "Simplify the mesh or split it into several, and upload it again. In the viewer: Build > Upload > \
              Model.",
        source: "Beq Janus's advice for builders, blog.inf.ed.ac.uk/atate, 2021-02-06",
    }

    MSH008 "indices" "Physics mesh is very large" {
        about: Mesh,
        effect: Changes,
        check: physics_mesh_too_large,
        message: "The physics mesh has {measured} indices; ubODE warns above {limit}",
        why: "Every triangle of a physics mesh has three indices. With more than 64,000 the region starts later, and \
              everything that touches the object costs more.",
        engines: [
            "ubODE" => "Logs \"large mesh data\" at each start, and builds a collision tree of all triangles.",
            "BulletSim" => "Has no such limit.",
            "Second Life" => "Has no such limit.",
        ],
        fix: "Upload the mesh again with a coarser physics model, or set the prims that use it to Convex Hull.",
        fix_owner: "Set the prims that use this mesh to Convex Hull. In the viewer: Edit > Features > Physics Shape \
              Type > Convex Hull.",
        source: "OpenSim, ODEPrim.cs, GetMeshGeom",
    }

    MSH010 "triangles" "Physics mesh has degenerate triangles" {
        about: Mesh,
        effect: Note,
        check: degenerate_triangles,
        message: "Degenerate triangles in the physics mesh: {measured} of {limit}{detail}",
        why: "The physics weight (physics cost) of a physics mesh is its triangles divided by their average width. \
              Narrow triangles decide that average. One triangle without width makes it 0, for which 0.001 m is \
              used: each triangle then costs 50. Moving vertices by 0.0000002 m changed one model's land impact from \
              7,671 to 0.5.",
        engines: [
            "Viewers" => "Refuse a physics mesh with degenerate triangles at upload.",
            "OpenSimulator" => "Ignores widths: ubODE charges by the number of triangles and by size.",
        ],
        fix: "Remove the degenerate triangles from the physics model and upload the mesh again.",
        fix_owner: "Set the prims that use this mesh to Convex Hull. In the viewer: Edit > Features > Physics Shape \
              Type > Convex Hull.",
        source: "Second Life wiki, Mesh/Mesh physics, Triangle Mesh Overview; viewer, llmodel.cpp, \
                 ll_is_degenerate; nalates, 2013-01-15",
    }

    MSH011 "" "Mesh has old block names" {
        about: Mesh,
        effect: Note,
        message: "The mesh has block names that not every engine knows: {detail}",
        why: "Before the release, physics_convex was called decomposition and physics_mesh was called physics_shape. \
              BoundingVerts was called Hull, and Positions was called Position. The specification still has the old \
              names. Old names in the convex block are read by no program.",
        engines: [
            "Viewers" => "Know the released names only.",
            "Second Life" => "Knows the released names only.",
            "OpenSimulator" => "Also reads physics_shape, and prefers it if both are there.",
        ],
        fix: "Check in-world after the move how the object collides.",
        source: "Second Life wiki, Mesh/Mesh physics, Mesh Asset Header Identifiers; OpenSim, Meshmerizer.cs",
    }

    MSH012 "" "Simulator's figures differ from hullmark's" {
        about: Mesh,
        effect: Note,
        check: simulator_differs,
        message: "hullmark calculates {measured}, but the simulator stored {limit}: {detail}",
        why: "A simulator that calculated a mesh's cost stores its figures in the header. They show how far \
              hullmark's estimates can be trusted: how the simulator counts vertices was never published. The \
              profile setting self_check_percent states the allowed difference.",
        engines: [
            "Second Life" => "Writes these figures, and is the only grid that does.",
            "OpenSimulator" => "Does not read them.",
        ],
        fix: "Do nothing. If the profile trusts the simulator, the simulator's figure counts.",
        source: "Mesh assets of Second Life, header entry physics_cost_data; node-metaverse, LLMesh.ts",
    }

    MSH013 "" "Two meshes share one UUID" {
        about: Asset,
        effect: Breaks,
        message: "The mesh's UUID has other content in {within}",
        why: "A grid knows an asset by its UUID alone and stores the first one that it gets. When it loads the \
              second archive, it skips the asset. Whatever uses the mesh then shows the wrong one.",
        fix: "Before you load either archive, find out which mesh is right, and give the other one its own UUID.",
        fix_owner: "Ask the operator of your grid to find out which mesh is right, before either archive is loaded.",
        source: "OpenSim, ArchiveReadRequest.cs:358, loadNeededAssets",
    }

    MSH014 "bytes" "Mesh asset is empty" {
        about: Mesh,
        effect: Loses,
        message: "The mesh asset is empty: {detail}",
        why: "A failed write leaves an asset of no bytes, or of zeros. One grid's asset server lost writes for a \
              month, and caches hid it.",
        engines: [
            "OpenSimulator" => "Counts an asset of no bytes as failed when it saves an archive. Stores it like any \
                other when it loads one.",
        ],
        fix: "Find the asset in an older export, or replace it.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "OpenSim, UuidGatherer.cs, GetAssetUuids; ArchiveReadRequest.cs, TryUploadAsset; \
              hypergridbusiness.com, April 2015",
    }

    MSH015 "" "Mesh block has invalid content" {
        about: Mesh,
        effect: Loses,
        message: "Block {within} has invalid content: {detail}",
        why: "The block can be decompressed, but its content is not LLSD or does not follow the format. Examples are \
              a number instead of a list, or a face without points. That part of the mesh is left out.",
        engines: [
            "OpenSimulator" => "Skips a face without points or triangles, and refuses it at upload.",
            "ubODE" => "Reads past the end of a triangle list that is not whole triangles.",
            "Viewers" => "Refuse a level of detail without faces. Drop the rest of a triangle list that is not whole \
                triangles.",
        ],
        fix: "Replace the asset.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; viewer, llvolume.cpp; OpenSim, MeshCost.cs",
    }

    MSH016 "" "Mesh departs from the format" {
        about: Mesh,
        effect: Note,
        message: "The mesh departs from the format: {detail}",
        why: "The mesh can be read, but programs differ in how they read it. Examples are a long header, a wrong \
              checksum, repeated keys, or levels of detail with different numbers of faces.",
        engines: [
            "Viewers" => "Look for the header in the first 4,096 bytes only. Refuse a block with a missing or wrong \
                checksum or a wrong zlib header. Take the first of two equal keys; some programs take the last. \
                Without Min of the convex block they take -0.5 to 0.5 for both corners, without Max 0. Without a \
                corner of PositionDomain they take 0. Drop all bind matrices if their number is not that of the \
                joints.",
            "OpenSimulator" => "Ignores checksums and zlib headers. Takes -0.5 for a missing Min and 0.5 for a \
                missing Max.",
            "ubODE" => "Takes -0.5 to 0.5 for a convex block without Min and Max.",
            "Others" => "LibreMetaverse, node-metaverse, Halcyon, WhiteCore and SilverSim take -0.5 to 0.5 for a \
                convex block without Min and Max.",
        ],
        fix: "Check the mesh in-world after the move: viewers and engines may read it differently.",
        source: "Viewer, llmeshrepository.cpp, llsdserialize.cpp, llmodel.cpp; OpenSim, Meshmerizer.cs; \
              SilverSim, PhysicsConvexShape.cs, Load",
    }

    MSH017 "" "Skin moves the mesh wrongly" {
        about: Mesh,
        effect: Note,
        message: "The skin moves the mesh wrongly: {detail}",
        why: "An avatar that wears the mesh moves it by joints. A vertex that follows another joint than its maker \
              meant is torn away from its place. Viewers refuse such a model at upload, so another program made it.",
        engines: [
            "Viewers" => "Take mPelvis for an unknown name, and the last joint for an index outside of the skin. \
                Take at least 0.001 for each weight, so that weights of 0 are equal. Do not move a face \
                without weights.",
        ],
        fix: "Wear the mesh and look at it. If it is torn, replace the asset.",
        fix_owner: "Bind the model to the avatar's skeleton again, with at most 110 joints, and upload it: Build > \
              Upload > Model.",
        source: "Viewer, avatar_skeleton.xml, lljoint.h (LL_MAX_JOINTS_PER_MESH_OBJECT), llskinningutil.cpp, \
              llvolume.cpp (unpackVolumeFacesInternal)",
    }
}

/// Number of indices above which ubODE logs "large mesh data" (`ODEPrim.cs`, `GetMeshGeom`).
const UBODE_INDICES: u64 = 64_000;

/// Counts the meshes with a block without content that the rule needs.
pub(super) fn unread(
    measured: &Measured<'_>,
    code: Code,
    outcomes: &mut RuleOutcomes,
    is_unread: impl Fn(&MeshFacts) -> bool,
) {
    let unread = measured.ledger.meshes.iter().filter(|mesh| is_unread(mesh));
    let (damaged, holed): (Vec<_>, Vec<_>) = unread.partition(|mesh| mesh.absent.is_empty());
    outcomes.not_evaluated(code, SkipReason::Damaged, damaged.len());
    outcomes.not_evaluated(code, SkipReason::NotFetched, holed.len());
}

fn unread_physics_mesh(measured: &Measured<'_>, code: Code, outcomes: &mut RuleOutcomes) {
    unread(measured, code, outcomes, |mesh| {
        mesh.physics_mesh.is_none() && physics_shape::lists_physics_mesh(mesh)
    });
}

/// "Each lower level must have fewer triangles than any higher one" (the wiki's page of the format).
fn level_not_simpler(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    for mesh in &measured.ledger.meshes {
        let levels: Vec<_> = LODS
            .iter()
            .zip(&mesh.lods)
            .filter_map(|(name, lod)| lod.map(|lod| (name, lod.triangles)))
            .collect();
        let larger = levels.windows(2).filter_map(|pair| match pair {
            [(name, triangles), (_, above)] if triangles > above => {
                Some(at_mesh(mesh, Code::MSH005).within(**name).measured(*triangles).limit(*above))
            }
            _ => None,
        });
        let larger: Vec<Finding> = larger.collect();
        let is_lost = |(name, lod): (&&str, &Option<_>)| {
            lod.is_none() && mesh.blocks.iter().any(|block| block.size > 0 && block.name == *name)
        };
        if larger.is_empty() && LODS.iter().zip(&mesh.lods).any(is_lost) {
            let reason = if mesh.absent.is_empty() { SkipReason::Damaged } else { SkipReason::NotFetched };
            outcomes.not_evaluated(Code::MSH005, reason, 1);
        }
        outcomes.extend(larger);
    }
}

fn too_large(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let limits = &measured.profile.meshes;
    for mesh in measured.ledger.meshes.iter().filter(|mesh| mesh.bytes as f64 > limits.max_bytes) {
        let finding = at_mesh(mesh, Code::MSH007).detail("The mesh asset has");
        outcomes.push(finding.measured(mesh.bytes as f64).limit(limits.max_bytes));
    }
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        let bytes = region.meshes.bytes as f64;
        if bytes > limits.max_region_bytes {
            let detail = format!(
                "The {} different meshes of region \"{}\" have",
                thousands(region.meshes.assets),
                facts.name
            );
            let finding = Finding::new(Code::MSH007).entry(&facts.folder).detail(detail);
            outcomes.push(finding.measured(bytes).limit(limits.max_region_bytes));
        }
    }
}

/// A physics mesh with more indices than ubODE accepts silently. It counts vertices too, but drops unused ones, so
/// there are never more vertices than indices.
fn physics_mesh_too_large(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.profile.physics.model != PhysicsModel::OpensimUbode {
        return;
    }
    unread_physics_mesh(measured, Code::MSH008, outcomes);
    for (mesh, measures) in measured.ledger.meshes.iter().zip(&measured.meshes) {
        let indices = measures.physics_triangles.map_or(0, |triangles| 3 * triangles);
        if indices > UBODE_INDICES {
            outcomes.push(at_mesh(mesh, Code::MSH008).measured(indices as f64).limit(UBODE_INDICES as f64));
        }
    }
}

/// Triangles that a viewer's uploader calls degenerate. A triangle without any width makes the average width 0, which
/// is then replaced by its least value.
fn degenerate_triangles(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    unread_physics_mesh(measured, Code::MSH010, outcomes);
    for mesh in &measured.ledger.meshes {
        let Some(physics_mesh) = &mesh.physics_mesh else { continue };
        let (mut degenerate, mut without_width, mut all) = (0_u32, 0_u32, 0_u32);
        for face in &physics_mesh.submeshes {
            for corners in
                face.triangles.iter().map(|triangle| triangle.map(|i| face.points.get(usize::from(i))))
            {
                let [Some(&a), Some(&b), Some(&c)] = corners else { continue };
                all += 1;
                let corners = [a, b, c].map(|point| face.domain.point(point));
                let is_flat = triangle::width(corners) == 0.0;
                without_width += u32::from(is_flat);
                degenerate += u32::from(is_flat || triangle::is_degenerate(corners));
            }
        }
        if degenerate > 0 {
            let detail = match without_width {
                0 => String::new(),
                count => format!("; {count} without any width, so every triangle costs 50"),
            };
            outcomes.push(at_mesh(mesh, Code::MSH010).measured(degenerate).limit(all).detail(detail));
        }
    }
}

fn simulator_differs(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let share = measured.profile.physics.self_check_percent / 100.0;
    let ours = Physics { trust_simulator: false, ..measured.profile.physics.clone() };
    for mesh in &measured.ledger.meshes {
        let Some(data) = &mesh.cost_data else { continue };
        let figures = [
            ("cost as base hull", physics::base_hull(mesh, &ours).value(), data.hull),
            ("cost as decomposition", physics::mesh_decomposition(mesh, &ours).value(), data.decomposition),
            (
                "physics mesh triangles",
                physics_shape::physics_triangles(mesh).map(|count| count as f64),
                data.mesh_triangles,
            ),
        ];
        let unknown = figures.iter().any(|(_, ours, theirs)| ours.is_none() && theirs.is_some());
        let differing: Vec<_> = figures
            .into_iter()
            .filter_map(|(name, ours, theirs)| Some((name, ours?, f64::from(theirs?))))
            .filter(|(_, ours, theirs)| (ours - theirs).abs() > share * ours.abs().max(theirs.abs()))
            .collect();
        if let [(name, ours, theirs), others @ ..] = differing.as_slice() {
            let more = others
                .iter()
                .map(|(name, ours, theirs)| format!("; {} and {}: {name}", plain(*ours), plain(*theirs)));
            let detail = format!("{name}{}", more.collect::<String>());
            outcomes.push(at_mesh(mesh, Code::MSH012).measured(*ours).limit(*theirs).detail(detail));
        } else if unknown {
            outcomes.not_evaluated(Code::MSH012, SkipReason::CostUnknown, 1);
        }
    }
}

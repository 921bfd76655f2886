//! Archives and their meshes: members, findings, blocks, hulls and costs.

use super::{
    Golden, GoldenLod, GoldenMesh, GoldenObject, Points,
    differences::{COST, Differences, POINT},
    study,
};
use glam::DVec3;
use hullmark_analysis::{
    Measured,
    cost::{Cost, physics},
    measure::MeshMeasures,
};
use hullmark_format::mesh::LODS;
use hullmark_ledger::facts::{LodFacts, MeshFacts, Role};
use hullmark_settings::profile::Profile;
use std::collections::{BTreeMap, HashMap};

#[test]
fn archives_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    for (golden, measured) in study.pairs() {
        compare_archive(golden, measured, &mut differences);
    }
    differences.fail_if_any(100);
}

fn compare_archive(golden: &Golden, measured: &Measured<'_>, differences: &mut Differences) {
    let (ledger, source) = (measured.ledger, &golden.source);
    let place = &golden.path;
    let objects = |role| ledger.objects.iter().filter(move |object| object.role == role);
    let parts = |role| objects(role).map(|object| object.linkset.parts.len()).sum();
    let golden_parts = |objects: &[GoldenObject]| objects.iter().map(|object| object.parts.len()).sum();
    let mut same = |what, ours: usize, golden| differences.same(place, what, ours, golden);
    same("objects", objects(Role::Rezzed).count(), golden.objects.len());
    same("parts", parts(Role::Rezzed), golden_parts(&golden.objects));
    same("nested objects", objects(Role::Nested).count(), golden.nested.len());
    same("nested parts", parts(Role::Nested), golden_parts(&golden.nested));
    same("loose objects", objects(Role::Loose).count(), 0);
    same("meshes", ledger.meshes.len(), golden.meshes.len());

    let container = &ledger.container;
    differences.same(place, "entries", container.entries, source.entries);
    differences.same(place, "bytes of the entries", container.expanded_bytes, source.entry_bytes);
    if source.kind == "mesh" {
        return;
    }
    let kind = source.kind.replace("oar-directory", "oar-tree");
    differences.same(place, "kind", ledger.kind.name(), &kind);
    if let Some(bytes) = source.bytes {
        differences.same(place, "bytes", ledger.bytes, bytes);
    }
    differences.same(place, "compression", &container.compression, &source.compression);
    differences.same(place, "directories", container.directories, source.directories);
    differences.same(place, "assets", &container.assets, &source.asset_types);
    let control = container.control.clone().unwrap_or_default();
    differences.same(place, "version", (control.major, control.minor), (source.major, source.minor));
    let datetime = source.datetime.as_ref().map(|seconds| seconds.parse().unwrap());
    differences.same(place, "datetime", control.created, datetime);
    let included = source.assets_included.as_ref().map(|word| word == "True");
    differences.same(place, "assets included", control.assets_included, included);
    let ours = control.regions.iter().map(|region| (region.uuid, &*region.folder, region.size));
    let golden = source.regions.iter().map(|region| {
        let sides = |size: &String| {
            let (east, north) = size.split_once(',').unwrap();
            [east, north].map(|side| side.parse::<u32>().unwrap())
        };
        (region.id, region.dir.as_deref().unwrap_or_default(), region.size.as_ref().map(sides))
    });
    differences.same(place, "regions", ours.collect::<Vec<_>>(), golden.collect());
}

#[test]
fn meshes_agree() {
    let Some(study) = study() else { return };
    let mut differences = Differences::default();
    for (golden, measured) in study.pairs().filter(|(golden, _)| !golden.meshes.is_empty()) {
        let points = study.points(&measured.ledger.input);
        let meshes: HashMap<&str, usize> = measured
            .ledger
            .meshes
            .iter()
            .enumerate()
            .map(|(number, mesh)| (mesh.entry.as_str(), number))
            .collect();
        for golden in &golden.meshes {
            let number = meshes.get(golden.name.as_str());
            differences.same(&golden.name, "found", number.is_some(), true);
            if let Some(&number) = number {
                let (mesh, measures) = (&measured.ledger.meshes[number], &measured.meshes[number]);
                compare_mesh(golden, mesh, measures, &points[&mesh.entry], &study.profile, &mut differences);
            }
        }
    }
    differences.fail_if_any(20_000);
}

fn compare_mesh(
    golden: &GoldenMesh,
    mesh: &MeshFacts,
    measures: &MeshMeasures,
    points: &Points,
    profile: &Profile,
    differences: &mut Differences,
) {
    let place = &golden.name;
    differences.same(place, "uuid", mesh.uuid, golden.uuid);
    differences.same(place, "bytes", mesh.bytes, golden.bytes);
    differences.same(place, "bytes of the header", points.header_bytes, golden.header_bytes);
    differences.same(place, "version", mesh.version, golden.version);
    differences.same(place, "skin", mesh.joints.is_some(), golden.has_skin);
    let ours = mesh.blocks.iter().map(|block| (&*block.name, (block.offset, block.size, block.inflated)));
    let theirs =
        golden.blocks.iter().map(|(name, block)| (&**name, (block.offset, block.size, block.inflated)));
    differences.same(place, "blocks", ours.collect::<BTreeMap<_, _>>(), theirs.collect());
    for (level, name) in LODS.into_iter().enumerate() {
        let golden = golden.lods.get(name).map(lod);
        differences.same(place, name, mesh.lods[level], golden);
    }

    let convex = mesh.convex.as_ref();
    differences.near_points(place, "Min", POINT, points.domain.map(|domain| domain.min), golden.min);
    differences.near_points(place, "Max", POINT, points.domain.map(|domain| domain.max), golden.max);
    let base = convex.and_then(|convex| convex.base);
    differences.same(place, "points of the base hull", base.map(|base| base.points), golden.bounding_verts);
    let [first, last] = points.ends.map_or([None; 2], |ends| ends.map(Some));
    differences.near_points(place, "first point of the base hull", POINT, first, golden.bounding_first);
    differences.near_points(place, "last point of the base hull", POINT, last, golden.bounding_last);
    let hulls = convex.map_or(&[][..], |convex| convex.hulls.as_slice());
    let hulls: Vec<u32> = hulls.iter().map(|hull| hull.points).collect();
    differences.same(place, "hulls", &hulls, golden.hull_counts.as_ref().unwrap_or(&Vec::new()));
    let positions = convex.and_then(|convex| convex.positions);
    differences.same(place, "points of all hulls", positions, golden.positions_points);
    let physics_mesh = mesh.physics_mesh.as_ref().map(|mesh| LodFacts {
        submeshes: mesh.submeshes.len() as u32,
        empty_submeshes: mesh.submeshes.iter().filter(|face| face.points.is_empty()).count() as u32,
        vertices: mesh.submeshes.iter().map(|face| face.points.len() as u32).sum(),
        triangles: mesh.submeshes.iter().map(|face| face.triangles.len() as u32).sum(),
    });
    differences.same(place, "physics mesh", physics_mesh, golden.physics_mesh.as_ref().map(lod));

    let mut near = |what: &str, ours: Cost, golden| differences.near(place, what, COST, ours.exact(), golden);
    // If no base hull is stored, hullmark charges the hull that an uploader would have made.
    if mesh.convex.as_ref().is_some_and(|convex| convex.base.is_some()) {
        near("cost of the base hull", measures.base_hull_cost, golden.hull_cost);
    }
    near("cost of the decomposition", measures.decomposition_cost, golden.decomposition_cost);
    for (name, scale) in [("1,1,1", DVec3::ONE), ("2,3,4", DVec3::new(2.0, 3.0, 4.0))] {
        let ours = physics::mesh_triangles(mesh, scale, &profile.physics);
        near(&format!("cost of the triangles at {name} m"), ours, golden.triangle_cost[name]);
    }
    near("streaming cost at 1 m", measures.streaming_cost_1m, golden.streaming_cost["1"]);
    near("streaming cost at 10 m", measures.streaming_cost_10m, golden.streaming_cost["10"]);
}

fn lod(golden: &GoldenLod) -> LodFacts {
    LodFacts {
        submeshes: golden.submeshes,
        empty_submeshes: golden.no_geometry,
        vertices: golden.vertices,
        triangles: golden.triangles,
    }
}

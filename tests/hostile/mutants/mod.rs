//! Mutants of samples: findings, never a panic, and the same result in every way of reading. `long` does the same with
//! real exports.
//!
//! At least half of them are changed inside compressed content, and packed again with correct checksums.

mod corpora;
mod long;

use crate::{
    properties,
    support::{
        archive::{gzip, write_member},
        mutate::{self, Archive, Dice, Mesh, Where},
        repository,
        samples::{self, File},
        scan_one,
    },
};
use hullmark_finding::Code;
use hullmark_ledger::Ledger;
use hullmark_model::maker::{BOX, Maker};
use hullmark_settings::limits::Limits;
use std::{fs, path::PathBuf};

/// Mutants of each source in a usual run of the tests. They take a few seconds in total.
const OF_EACH: usize = 20;

/// Returns `true` if a sample is a mesh, or a scene of meshes.
fn is_mesh(name: &str) -> bool {
    name.starts_with("meshes/")
}

fn is_archive(name: &str) -> bool {
    name.ends_with(".oar") || name.ends_with(".iar")
}

/// Returns the samples of a kind, and those that cannot be read to their end.
fn samples_of(kind: fn(&str) -> bool) -> Vec<File> {
    samples::all().into_iter().chain(samples::incomplete()).filter(|(name, _)| kind(name)).collect()
}

/// Returns real exports up to this size in bytes, if there are any.
fn real_exports(most: u64) -> Vec<PathBuf> {
    let Ok(folder) = fs::read_dir(repository().join("../shared/data")) else { return Vec::new() };
    let mut paths: Vec<_> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.push(repository().join("../shared/data/India.oar/India.oar"));
    paths.retain(|path| fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= most));
    paths.sort();
    paths
}

/// Returns the documents with this ending in the sample archives, and the loose samples with it.
fn members_of(ending: &str) -> Vec<Vec<u8>> {
    let of_archives = samples_of(is_archive).into_iter().flat_map(|(_, bytes)| Archive::open(&bytes).members);
    let members =
        of_archives.filter(|member| member.name().ends_with(ending)).map(|member| member.data().to_vec());
    let loose = samples::all().into_iter().filter(|(name, _)| name.ends_with(ending)).map(|(_, bytes)| bytes);
    members.chain(loose).collect()
}

/// Changes each source `of_each` times and shows the mutants. A mutant gets pieces of the next source.
fn each_mutant(
    sources: &[Vec<u8>],
    change: fn(&mut Dice, &mut Vec<u8>, &[u8]),
    of_each: usize,
    mut show: impl FnMut(&[u8]),
) {
    assert!(!sources.is_empty());
    for (number, source) in sources.iter().enumerate() {
        let other = &sources[(number + 1) % sources.len()];
        for seed in 0..of_each {
            let mut dice = Dice::new((number * of_each + seed) as u64);
            let mut changed = source.clone();
            for _ in 0..=dice.below(3) {
                change(&mut dice, &mut changed, other);
            }
            show(&changed);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_mutant() {
    let (_, mesh) = &samples_of(is_mesh)[0];
    let (_, archive) = &samples_of(is_archive)[0];
    let mutants = || {
        let (mesh, archive) = (Mesh::open(mesh), Archive::open(archive));
        let pair = |seed| {
            let mut dice = Dice::new(seed);
            (mesh.mutant(&mut dice, &mesh), archive.mutant(&mut dice, &archive))
        };
        (0..50).map(pair).collect::<Vec<_>>()
    };
    let first = mutants();
    assert!(first == mutants());
    assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "seeds that follow each other give one mutant");
}

#[test]
fn unpacking_and_packing_keep_the_members() {
    for (name, bytes) in samples_of(is_archive) {
        let archive = Archive::open(&bytes);
        let again = Archive::open(&archive.tar());
        let members = |archive: &Archive| -> Vec<_> {
            archive.members.iter().map(|member| (member.name(), member.data().to_vec())).collect()
        };
        assert_eq!(members(&archive), members(&again), "{name}");
    }
}

/// A dying disk: members before the fault must not be lost, although they are unpacked in the same call.
#[test]
fn members_before_a_fault_in_a_small_archive_are_audited() {
    let mut archive =
        Archive::open(&fs::read(repository().join("sample_data/regions/over-the-cap.oar")).unwrap());
    // Damage in terrain of equal heights shows only in the members behind it.
    archive.members.retain(|member| !member.name().starts_with("terrains/"));
    let mut bytes = gzip(&archive.tar());
    let whole = properties::archive(&bytes).ledger;
    let late = bytes.len() * 3 / 4;
    bytes[late..late + 20].fill(0xff);
    let damaged = properties::archive(&bytes);
    assert!(!damaged.is_complete());
    assert!(damaged.findings.iter().any(|finding| finding.code == Code::ARC001));
    assert!(!damaged.ledger.objects.is_empty());
    assert!(damaged.ledger.objects.iter().zip(&whole.objects).all(|(damaged, whole)| damaged == whole));
}

/// The result is the same for a map that was kept and for one that is read again.
#[test]
#[cfg(feature = "sculpt")]
fn a_sculpt_map_that_is_cut_with_its_archive_is_unknown() {
    let mut archive = Archive::open(&fs::read(repository().join("sample_data/regions/sculpts.oar")).unwrap());
    let maps = properties::archive(&archive.tar()).ledger.sculpts;
    archive.members.sort_by_key(|member| member.name() == maps[0].entry);
    let (tar, last) = (archive.tar(), archive.members.last().unwrap().size());
    let cut = properties::archive(&tar[..tar.len() - 1024 - last.next_multiple_of(512) / 2]);
    assert!(!cut.is_complete());
    assert!(cut.ledger.sculpts == maps[1..]);
}

#[test]
fn mutants_of_llsd() {
    let documents: Vec<_> =
        samples_of(is_mesh).iter().flat_map(|(_, bytes)| Mesh::open(bytes).documents()).collect();
    let mut refused = 0;
    each_mutant(&documents, mutate::llsd, OF_EACH, |bytes| {
        properties::llsd(bytes);
        refused += usize::from(hullmark_format::llsd::parse(bytes, 96).is_err());
    });
    assert!(refused > 0, "no change was noticed");
}

#[test]
fn mutants_of_meshes() {
    let sources: Vec<_> =
        samples_of(is_mesh).into_iter().map(|(name, bytes)| (name, Mesh::open(&bytes))).collect();
    let (mut inside, mut mutants) = (0, 0);
    for (number, (name, mesh)) in sources.iter().enumerate() {
        let whole = properties::mesh(mesh.bytes());
        let mut noticed = 0;
        for seed in 0..3 * OF_EACH {
            let mut dice = Dice::new((number * 1000 + seed) as u64);
            let (bytes, place) = mesh.mutant(&mut dice, &sources[(number + 1) % sources.len()].1);
            noticed += usize::from(properties::mesh(&bytes) != whole);
            inside += usize::from(place == Where::Inside);
            mutants += 1;
        }
        assert!(noticed > 0, "{name}: no change was noticed");
    }
    assert!(2 * inside >= mutants, "{inside} of {mutants} were changed inside");
}

/// Returns a model with a level, a physics model and two materials.
fn model() -> Vec<u8> {
    let mut chair = Maker::new("");
    let (wood, cloth) = (chair.material("wood"), chair.material("cloth"));
    let primitives = [wood, cloth].map(|material| {
        let mut primitive = chair.primitive([1.0; 3], [material as f32, 0.0, 0.0], &BOX);
        primitive["material"] = material.into();
        primitive
    });
    chair.node("seat", &primitives);
    chair.node("seat_LOD0", &primitives[..1]);
    chair.boxed("seat_PHYS", [1.0; 3]);
    chair.glb()
}

/// A document of COLLADA with a triangle.
const COLLADA: &[u8] = br##"<?xml version="1.0"?><COLLADA version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="seat" name="seat"><mesh>
<source id="p"><float_array id="a" count="12">0 0 0 1 0 0 0 1 0 0 0 1</float_array><technique_common>
<accessor source="#a" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2" material="wood"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 0 2 3</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node id="n" name="seat">
<matrix>1 0 0 2 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_geometry url="#seat"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

#[test]
fn mutants_of_models() {
    for whole in [model(), COLLADA.to_vec()] {
        assert_eq!(properties::model(&whole), 1);
        let mut refused = 0;
        each_mutant(&[whole], mutate::bytes, 40 * OF_EACH, |bytes| {
            refused += usize::from(properties::model(bytes) == 0);
        });
        assert!(refused > 0, "no change was noticed");
    }
}

#[test]
fn mutants_of_objects() {
    let mut found = 0;
    each_mutant(&members_of(".xml"), mutate::xml, 4, |bytes| found += properties::object_xml(bytes).len());
    assert!(found > 0, "no change was noticed");
}

#[test]
fn mutants_are_repaired_once() {
    let mut mended = 0;
    each_mutant(&members_of(".xml"), mutate::xml, 4, |bytes| mended += properties::repaired(bytes));
    assert!(mended > 0, "no mutant was mended");
}

#[test]
fn mutants_of_tars() {
    // A larger archive tests nothing more, and takes long in pieces of one byte.
    let small = samples_of(is_archive).into_iter().map(|(_, bytes)| Archive::open(&bytes).small());
    let sources: Vec<_> = small.filter(|archive| !archive.members.is_empty()).collect();
    for (number, source) in sources.iter().enumerate() {
        for seed in 0..4 {
            let mut dice = Dice::new((number * 1000 + seed) as u64);
            let (packed, _) = source.mutant(&mut dice, &sources[(number + 1) % sources.len()]);
            properties::gzip_tar(&packed);
            let mut tar = Archive::open(&packed).tar();
            mutate::bytes(&mut dice, &mut tar, &packed);
            properties::tar(&tar);
        }
    }
}

#[test]
fn mutants_of_containers() {
    let samples = samples_of(is_archive);
    let members = samples.iter().filter(|(_, bytes)| bytes.len() < 20_000).take(3);
    let mut inner = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut tar = Vec::new();
    for (name, bytes) in members {
        let file = name.rsplit('/').next().unwrap();
        inner.start_file(file, zip::write::SimpleFileOptions::default()).unwrap();
        std::io::Write::write_all(&mut inner, bytes).unwrap();
        write_member(&mut tar, file, b'0', bytes);
    }
    let inner = inner.finish().unwrap().into_inner();
    write_member(&mut tar, "inner.zip", b'0', &inner);
    tar.extend([0; 1024]);
    let sources = [inner, gzip(&tar), tar];
    let (mut lists, mut found) = (0, 0);
    each_mutant(&sources, mutate::bytes, OF_EACH, |bytes| {
        lists += 1;
        found += properties::container(bytes);
    });
    for source in &sources {
        (0..source.len()).step_by(source.len() / 8).for_each(|cut| _ = properties::container(&source[..cut]));
    }
    assert!(found > lists, "only {found} inputs in {lists} containers");
}

/// Dumps whose rows are in files of their own: a description as JSON or as a statement, a zero, and rows.
fn dumps_in_files() -> Vec<Vec<u8>> {
    let rows = b"9d1f3f8e-0000-4000-8000-000000000001\t\\N\tA box\\\tof\\nwood\t1.5\n\
                 9d1f3f8e-0000-4000-8000-000000000002\tid\t\"Caf\xc3\xa9\"\t-1e400\n";
    [
        r#"{"options": {"schema": "opensim", "table": "prims", "columns": ["UUID", "RegionUUID", "Name", "PositionX"],
            "decodeColumns": {"Name": "FROM_BASE64"}, "defaultCharacterSet": "latin1", "fieldsTerminatedBy": "\t",
            "fieldsEnclosedBy": "\"", "fieldsEscapedBy": "\\", "linesTerminatedBy": "\n"}, "includesData": true}"#,
        "CREATE TABLE `prims` (`UUID` char(36), `RegionUUID` char(36), `Name` varchar(255), `PositionX` double);\n",
    ]
    .map(|described| [described.as_bytes(), &[0], rows].concat())
    .to_vec()
}

#[test]
fn mutants_of_dumps_in_files() {
    let mut found = 0;
    each_mutant(&dumps_in_files(), mutate::bytes, 3 * OF_EACH, |bytes| {
        found += properties::dump_folder(bytes);
    });
    assert!(found > 0, "no mutant was read as a dump");
}

#[test]
fn mutants_of_dumps() {
    let dumps: Vec<_> =
        samples_of(|name| name.ends_with(".sql")).into_iter().map(|(_, bytes)| bytes).collect();
    let mut found = 0;
    each_mutant(&dumps, mutate::bytes, 2 * OF_EACH, |bytes| {
        found += properties::archive(bytes).findings.len();
    });
    assert!(found > 0, "no change was noticed");
}

#[test]
fn mutants_of_archives() {
    let real = real_exports(200_000).into_iter().map(|path| fs::read(path).unwrap());
    let archives = samples_of(is_archive).into_iter().map(|(_, bytes)| bytes).chain(real);
    let sources: Vec<_> = archives.map(|bytes| Archive::open(&bytes)).collect();
    let (mut inside, mut mutants, mut whole) = (0, 0, 0);
    for (number, source) in sources.iter().enumerate() {
        for seed in 0..4 {
            let mut dice = Dice::new((number * 1000 + seed) as u64);
            let (bytes, place) = source.mutant(&mut dice, &sources[(number + 1) % sources.len()]);
            let outcome = properties::archive(&bytes);
            assert!(
                outcome.is_complete() || !outcome.findings.is_empty(),
                "an archive was lost without a word"
            );
            inside += usize::from(place == Where::Inside);
            whole += usize::from(outcome.is_complete());
            mutants += 1;
        }
    }
    assert!(2 * inside >= mutants, "{inside} of {mutants} were changed inside");
    assert!(4 * whole >= mutants, "only {whole} of {mutants} got past the first door");
}

#[test]
fn mutants_of_sculpt_maps() {
    let folder = repository().join("tests/support/sculpt_maps");
    let maps =
        ["sphere.j2c", "wide.j2c", "grey.jp2", "alpha_lrcp.j2c", "rock-53-32-1.j2c", "rock-97-16-1.j2c"];
    let maps = maps.map(|name| fs::read(folder.join(name)).unwrap());
    each_mutant(&maps, mutate::bytes, 10 * OF_EACH, properties::sculpt_map);
}

#[test]
fn mutants_of_texts() {
    let texts = members_of(".txt");
    assert!(texts.iter().any(|text| memchr::memmem::find(text, b"wearables").is_some()));
    each_mutant(&texts, mutate::bytes, 10 * OF_EACH, properties::text);
}

#[test]
fn mutants_of_ledgers() {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "regions/clean-region.oar",
        "regions/sculpts.oar",
        "contents/boxes-in-boxes.oar",
        "meshes/chair.llmesh",
    ] {
        // The mutants depend on the text of the ledger, and the text must not depend on the place of the checkout.
        let scanned = scan_one(&repository().join("sample_data").join(name), &Limits::default());
        let ledger = Ledger { input: name.into(), ..scanned };
        let (written, facts) =
            (fs::read(ledger.write(folder.path()).unwrap()).unwrap(), serde_json::to_vec(&ledger).unwrap());
        each_mutant(&[written], mutate::bytes, OF_EACH, |bytes| _ = properties::ledger(bytes));
        let mut taken = 0;
        each_mutant(&[facts], mutate::text, 10 * OF_EACH, |bytes| {
            taken += usize::from(properties::ledger(bytes));
        });
        assert!(taken > 0, "{name}: every forged ledger was refused");
    }
}

#[test]
fn mutants_of_tables_in_reports() {
    for table in properties::tables() {
        let mut taken = 0;
        assert!(properties::report_table(&table));
        each_mutant(std::slice::from_ref(&table), mutate::bytes, 10 * OF_EACH, |bytes| {
            taken += usize::from(properties::report_table(bytes));
        });
        let format = String::from_utf8_lossy(&table[..4]);
        assert!(0 < taken && taken < 10 * OF_EACH, "{format}: {taken} were taken");
    }
}

#[test]
fn mutants_of_settings() {
    for (number, name) in ["hullmark.toml", "profiles/opensim-ubode.toml"].into_iter().enumerate() {
        let text = fs::read(repository().join("config").join(name)).unwrap();
        let mut taken = 0;
        each_mutant(&[text], mutate::text, 10 * OF_EACH, |bytes| {
            taken += usize::from(properties::settings(bytes)[number]);
        });
        assert!(0 < taken && taken < 10 * OF_EACH, "{name}: {taken} were taken");
    }
}

#[test]
fn mutants_of_waivers() {
    let mut taken = 0;
    each_mutant(&[mutate::WAIVERS.into()], mutate::text, 50 * OF_EACH, |bytes| {
        taken += usize::from(properties::waivers(bytes));
    });
    assert!(0 < taken && taken < 50 * OF_EACH, "{taken} were taken");
}

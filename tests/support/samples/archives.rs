//! Archives with faults in the container.

use super::{File, REGION, SECOND_REGION, asset, object, regions::SPHERE_MAP};
use crate::support::{
    archive::{Archive, control, control_of_many, gzip, write_member},
    mesh::MeshFile,
    object::Prim,
};

/// Bytes of the end marker of a tar.
const END: usize = 1024;

pub(super) fn all() -> Vec<File> {
    let control = control(REGION, "256,256");
    let named = |name: &str, archive: Archive| (format!("{name}.oar"), archive.gzip());
    let rows = [vec![Some((REGION, "1_1_Here", "256,256")), Some((SECOND_REGION, "2_1_Gone", "256,256"))]];
    let (path, xml) = object(&Prim::new("Bench", 60));
    let listed = Archive::new(&control_of_many(&rows)).add(&format!("regions/1_1_Here/{path}"), xml);
    let mut without_end = around(Archive::new(&control), 61).tar();
    without_end.truncate(without_end.len() - END);
    vec![
        ("no-end-marker.oar".into(), without_end),
        named("no-control-file", around(Archive::default(), 62)),
        named("control-file-last", around(Archive::default(), 63).add("archive.xml", &control)),
        named(
            "version-2",
            around(Archive::new(&control.replace("major_version=\"0\"", "major_version=\"2\"")), 64),
        ),
        ("hard-link.oar".into(), gzip(&with_link(&around(Archive::new(&control), 65)))),
        ("record-of-python.oar".into(), gzip(&with_pax_record(&around(Archive::new(&control), 705)))),
        named(
            "packed-on-macos",
            around(
                Archive::new(&control)
                    .add("objects/._Bench.xml", b"\0\x05\x16\x07\0\x02\0\0Mac OS X        "),
                706,
            ),
        ),
        named("asset-without-type", around(Archive::new(&control), 66).add("assets/stone", "granite")),
        named(
            "name-that-leads-out",
            around(Archive::new(&control), 67)
                .add("objects/../../Bench.xml", object(&Prim::new("Shelf", 69)).1),
        ),
        named("listed-region-is-gone", with_cube(listed)),
        named("packed-with-dots", around_in("./", 701)),
        named("packed-with-its-folder", around_in("Harbour/", 702)),
        // The smallest zip: an end of its list of entries.
        ("zip.oar".into(), [b"PK\x05\x06".as_slice(), &[0; 18]].concat()),
        ("no-bytes.oar".into(), Vec::new()),
        named(
            "one-uuid-twice",
            around(Archive::new(&control), 703)
                .add(&asset(91, "texture.jp2"), SPHERE_MAP)
                .add(&asset(91, "callingcard.txt"), "Callingcard"),
        ),
        named("empty-asset", around(Archive::new(&control), 68).add(&asset(69, "mesh.llmesh"), "")),
    ]
}

/// Returns archives that cannot be read to their end. They are cut within a texture that no sculpt uses, which affects
/// nothing else.
pub(super) fn incomplete() -> Vec<File> {
    let whole = |number| {
        around(Archive::new(&control(REGION, "256,256")), number).add(&asset(90, "texture.jp2"), SPHERE_MAP)
    };
    let (gzip, tar) = (whole(70).gzip(), whole(71).tar());
    vec![
        ("cut-gzip.oar".into(), gzip[..gzip.len() - 40].to_vec()),
        ("cut-tar.oar".into(), tar[..tar.len() - END - 600].to_vec()),
        ("member-of-2-gib.oar".into(), with_two_gib(&around(Archive::new(&control(REGION, "256,256")), 704))),
    ]
}

/// Returns the tar with the header of a texture of 2 GiB at its end, and no data of the texture.
fn with_two_gib(archive: &Archive) -> Vec<u8> {
    let mut tar = archive.tar();
    tar.truncate(tar.len() - END);
    let start = tar.len();
    write_member(&mut tar, &asset(92, "texture.jp2"), b'0', b"");
    let header = &mut tar[start..];
    header[124..135].copy_from_slice(b"20000000000");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    tar
}

/// Returns an archive whose members are below an unexpected path.
fn around_in(path: &str, number: u32) -> Archive {
    let mut archive = around(Archive::new(&control(REGION, "256,256")), number);
    archive.members.iter_mut().for_each(|(name, _)| name.insert_str(0, path));
    archive
}

/// Adds a bench and an asset, so that nothing else is wrong.
fn around(archive: Archive, number: u32) -> Archive {
    let (path, xml) = object(&Prim::new("Bench", number));
    with_cube(archive.add(&path, xml))
}

fn with_cube(archive: Archive) -> Archive {
    archive.add(&asset(1, "mesh.llmesh"), MeshFile::cube().encode())
}

/// Returns the tar with a record that sets a time for the next member, as Python's tarfile writes it.
fn with_pax_record(archive: &Archive) -> Vec<u8> {
    let mut tar = archive.tar();
    tar.truncate(tar.len() - END);
    write_member(&mut tar, "././@PaxHeader", b'x', b"28 mtime=1500000000.1234567\n");
    tar.resize(tar.len() + END, 0);
    tar
}

/// Returns the tar with a hard link, as other programs write it.
fn with_link(archive: &Archive) -> Vec<u8> {
    let mut tar = archive.tar();
    tar.truncate(tar.len() - END);
    write_member(&mut tar, "objects/shortcut.xml", b'1', b"");
    tar.resize(tar.len() + END, 0);
    tar
}

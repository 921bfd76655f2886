//! ARC: the container.

use super::{object::rezzed, place::at_asset};
use crate::RuleOutcomes;
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::{
    defect::{Defect, DefectKind, InputDefect},
    object::Part,
};
use hullmark_ledger::facts::{AssetFacts, IN_CONTAINER, Role, Status, UnknownFile, is_archive_name};
use hullmark_util::number_text::counted;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

rules! {
    ARC001 "" "Archive is damaged or truncated" {
        about: Archive,
        effect: Stops,
        message: "The archive cannot be read to its end: {detail}",
        why: "Gzip has a checksum and a length, which show damage. Content after the damage is lost. After a disk \
              failure, some grids had only such archives left.",
        engines: [
            "OpenSimulator" => "Reads the whole archive before it loads objects and parcels. At damage it stops with \
                an error: terrain, settings and assets before the damage are loaded, and the region keeps its \
                objects. If the stream only ends early, the runtime reports a normal end: OpenSim clears the region \
                and loads what precedes the cut.",
        ],
        fix: "If the file is still being written or copied, audit it again when it is whole. Else `hullmark repair` \
              keeps all whole members in a copy. Or export again and compare the file size with earlier exports. Do \
              not load this archive over a region that still has its objects.",
        source: "RFC 1952; OpenSim, ArchiveReadRequest.cs, DearchiveRegion; .NET, DeflateStream.cs, ReadCore; \
              hypergridbusiness.com, August 2014",
    }

    ARC002 "bytes" "Tar structure is broken" {
        about: Entry,
        effect: Stops,
        message: "The tar structure is broken: {detail}",
        why: "A header or a size in the tar is wrong, or the tar ends early. Members after this place are lost, \
              often without an error.",
        engines: [
            "OpenSimulator" => "Checks no checksum, takes a header that begins with a zero for the end, and does not \
                report a truncated member. It parses sizes into 32 bits, so a size of 2 GiB or more becomes negative \
                or too small. Then reading fails, or continues at a wrong place. If reading fails, no object is \
                loaded.",
        ],
        fix: "If the file is still being written or copied, audit it again when it is whole. Else `hullmark repair` \
              keeps all whole members in a copy. Or export again. Do not load this archive.",
        source: "OpenSim, TarArchiveReader.cs:212, ReadHeader and ReadData",
    }

    ARC003 "" "archive.xml is missing" {
        about: Archive,
        effect: Stops,
        check: control_missing,
        message: "archive.xml is missing: {detail}",
        why: "Without archive.xml, nothing is loaded. In archives that were unpacked and packed again it is often \
              below a folder, or named ./archive.xml.",
        engines: [
            "OpenSimulator" => "Looks for a member named exactly archive.xml and refuses an archive without it: \
                \"Control file not found\".",
        ],
        fix: "`hullmark repair` writes it in a copy. Or put archive.xml at the top level of the archive, \
              or export again.",
        source: "OpenSim, ArchiveReadRequest.cs:647, FindAndLoadControlFile",
    }

    ARC004 "members" "Members have wrong paths" {
        about: Archive,
        effect: Stops,
        message: "The archive was repacked with paths that no loader finds: {detail}",
        why: "Members of a repacked archive often begin with \"./\" or with the name of the folder. Then archive.xml \
              is not found, and nothing is loaded.",
        engines: ["OpenSimulator" => "Compares the paths of members letter by letter.",],
        fix: "`hullmark repair` writes a copy with the right paths. Or pack again from inside the folder, \
              archive.xml first: tar --format=gnu -czf ../region.oar archive.xml objects assets settings \
              landdata terrains. Leave out folders that do not exist. For several regions, the folders are \
              regions and assets.",
        source: "OpenSim, ArchiveReadRequest.cs:531, 647, DearchiveRegion and FindAndLoadControlFile; tried with GNU \
              tar",
    }

    ARC005 "" "archive.xml is not first" {
        about: Archive,
        effect: Note,
        check: control_not_first,
        message: "archive.xml is not the first member: {detail}",
        why: "A loader needs the version in archive.xml before it restores anything.",
        engines: [
            "OpenSimulator" => "Warns and reads the archive again from its start. That fails if the archive comes as \
                a stream and not as a file.",
        ],
        fix: "Load the archive from a file. To load it from a URL, export it again.",
        source: "OpenSim, ArchiveReadRequest.cs, FindAndLoadControlFile",
    }

    ARC006 "" "Archive version cannot be loaded" {
        about: Archive,
        effect: Stops,
        message: "OpenSim cannot use the version in archive.xml: {detail}",
        why: "If the version cannot be used, nothing is loaded.",
        engines: [
            "OpenSimulator" => "Refuses a major version above 1. Fails if a version is missing or not a whole \
                number.",
        ],
        fix: "`hullmark repair` corrects it in a copy. Or correct major_version and minor_version in \
              archive.xml and pack again, or export again.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadControlFile",
    }

    ARC007 "" "Unsupported tar records" {
        about: Entry,
        effect: Loses,
        message: "The archive has tar records that OpenSim does not support: {detail}",
        why: "Links are lost, and so are long names in a pax record or in the prefix of a ustar header. Records that \
              hold only times, as Python writes them, do no harm.",
        engines: [
            "OpenSimulator" => "Supports one tar extension, the long names of GNU tar. It takes every other record, \
                except folders, for a file, and skips files that it does not look for.",
        ],
        fix: "Pack again with GNU tar (--format=gnu) and without links, or export again.",
        source: "OpenSim, TarArchiveReader.cs, ReadHeader; ArchiveReadRequest.cs, DearchiveRegion",
    }

    ARC008 "bytes" "File is not an archive" {
        about: Entry,
        effect: Stops,
        check: no_archive,
        message: "The file is named as an archive but is not one: {detail}",
        why: "An OAR or IAR is a tar compressed with gzip. Some programs write zip files under these names. A save \
              that fails at once, for example on a full disk, leaves an empty file that looks like a backup.",
        fix: "If it is a zip with the files of an archive, `hullmark repair` makes an archive of it. Otherwise save the \
              region again, or download the file again.",
        source: "OpenSim, ArchiveReadRequest.cs; TarArchiveReader.cs",
    }

    ARC009 "" "Archive has no assets" {
        about: Archive,
        effect: Breaks,
        check: no_assets,
        message: "The archive contains no assets: {detail}",
        why: "The archive was saved with --noassets, or its assets could not be fetched. It is complete only on a \
              grid that already has the assets. One operator found by chance that a nightly archive had shrunk from \
              8 GB to 56 MB without any asset. Costs of meshes are not evaluated.",
        fix: "Export again without --noassets.",
        source: "OpenSim, OpenSim.cs, save oar --noassets; ArchiveWriteRequest.cs, assets_included; Halcyon, issue \
              88",
    }

    ARC010 "" "Asset will not be restored" {
        about: Entry,
        effect: Loses,
        check: two_assets_of_one_uuid,
        message: "The asset will not be restored: {detail}",
        why: "The UUID and the type of an asset are only in its name. If the name is wrong or used twice, objects \
              that use the asset lose it or show other content.",
        engines: [
            "OpenSimulator" => "Counts an asset as failed if its name has no underscore or ends in an unknown type. \
                Of two members with one UUID it stores the first, even if the second has other content.",
        ],
        fix: "`hullmark repair` renames it in a copy, if its use, ending or content shows the type. Or rename the member \
              to UUID, underscore, type. If two members have one UUID, remove the wrong one. Then pack again.",
        source: "OpenSim, ArchiveReadRequest.cs:318, ArchiveConstants.cs",
    }

    ARC011 "" "Unsafe or unreadable member name" {
        about: Entry,
        effect: Loses,
        message: "The name of a member is unsafe or not readable: {detail}",
        why: "An absolute path or \"..\" in a name makes careless programs write outside the target folder. Control \
              characters and bytes that are not UTF-8 do not come from OpenSim, which writes names in ASCII. \
              hullmark unpacks nothing.",
        fix: "Do not unpack this archive with other programs. Export again.",
        source: "OpenSim, TarArchiveWriter.cs",
    }

    ARC012 "" "Decoding limit exceeded" {
        about: Entry,
        effect: Loses,
        check: too_many_triangles,
        message: "A decoding limit was exceeded: {detail} (measured {measured}, limit {limit})",
        why: "A few bytes in an archive can expand to very many. Limits keep a nightly run alive, and are far above \
              what genuine exports contain. Content over a limit is not evaluated.",
        fix: "If the content is genuine, raise the setting that this row names: in [limits], for triangles in [report]. \
              `hullmark init` writes a file with all settings.",
        fix_owner: "Ask the operator of your grid whether the content is genuine and the limit can be raised.",
        source: "hullmark, config/hullmark.toml, [limits] and [report]",
    }

    ARC013 "" "archive.xml and region folders disagree" {
        about: Archive,
        effect: Loses,
        message: "archive.xml and the region folders disagree: {detail}",
        why: "The archive.xml of an archive with several regions lists the folder of each region. A region that is \
              missing on either side is not loaded.",
        engines: [
            "OpenSimulator" => "Skips files below regions in a folder that is not listed. Neither clears nor loads a \
                listed region without files. It finds the region to load into by its relative position and skips \
                regions that are not running. If no region is left, it loads nothing and reports \"Successfully \
                loaded archive\" (ARC016).",
        ],
        fix: "Correct the list of regions in archive.xml, or export again.",
        source: "OpenSim, DearchiveScenesGroup.cs, GetRegionFromPath and SetSimulatorScenes",
    }

    ARC014 "members" "Foreign members stop the load" {
        about: Archive,
        effect: Stops,
        message: "OpenSim takes {detail}, and stops the load there",
        why: "The load stops as for OBJ001, after the region was cleared.",
        engines: [
            "OpenSimulator" => "Supports one tar extension, the long names of GNU tar. It takes every other record, \
                except folders, for a file. GNU tar writes the pax record of a file below objects into \
                objects/PaxHeaders, where OpenSim reads it as an object; below landdata, as a parcel. It reads a \
                link there as an empty file, with the same result. The tar of macOS writes metadata before a file, as \
                objects/._name. File managers add .DS_Store, Thumbs.db and desktop.ini.",
        ],
        fix: "`hullmark repair` writes a copy without them. Or export again. Or pack again without them: GNU tar with \
              --format=gnu and no links, the tar of macOS with COPYFILE_DISABLE=1.",
        source: "OpenSim, TarArchiveReader.cs, ReadHeader; ArchiveReadRequest.cs, DearchiveRegion; tried with GNU \
              tar --format=posix",
    }

    ARC015 "" "Archive is not compressed" {
        about: Archive,
        effect: Stops,
        check: not_compressed,
        message: "The archive is not compressed with gzip",
        why: "Archives that were unpacked and packed again by hand are often not compressed. OpenSim loads nothing \
              from them.",
        engines: [
            "OpenSimulator" => "Decompresses every archive with gzip and fails at the first byte of a plain tar, or of zstd. The \
                region stays as it is.",
        ],
        fix: "`hullmark repair` writes a compressed copy. Or compress the tar with gzip FILE, after unzstd \
              if it is in zstd. Rename it to end in .oar or .iar.",
        source: "OpenSim, ArchiveReadRequest.cs, constructor (GZipStream); InventoryArchiveReadRequest.cs",
    }

    ARC016 "" "Archive has several regions" {
        about: Archive,
        effect: Loses,
        check: several_regions,
        message: "What is loaded depends on the region that loads the archive: {detail}",
        why: "An archive of several regions is loaded from the console of one region. Regions that are not running \
              are skipped, and objects beyond the size of the loading region are lost.",
        engines: [
            "OpenSimulator" => "Finds the other regions by their position relative to the loading region and skips \
                those that are not running. If it finds none, it loads nothing and reports \"Successfully loaded \
                archive\". Objects of all regions must be within the size of the loading region. Loaded from a \
                region of 256 m, a region of 512 m lost all objects beyond 256 m and three quarters of its \
                terrain.",
        ],
        fix: "Start regions with the positions and sizes of the archive. Load it from the largest region. Count the \
              objects afterwards.",
        source: "OpenSim, ArchiveReadRequest.cs, constructor; DearchiveScenesGroup.cs, SetSimulatorScenes; measured \
              with 0.9.2.2",
    }
}

/// The ending of a backup by Aurora-Sim: a tar in gzip whose members OpenSim does not know.
const AURORA_BACKUP: &str = ".abackup";

/// Whether the input is an archive, packed or unpacked, and not a set of loose files.
pub fn is_archive(measured: &Measured<'_>) -> bool {
    measured.ledger.kind.is_archive()
}

fn control_missing(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    // An archive with wrong paths is reported once (ARC004). In a truncated archive, the lost part may contain the
    // file.
    let misplaced =
        measured.profile.selects(Code::ARC004) && measured.ledger.defects.iter().any(is_misplaced);
    if !misplaced
        && is_archive(measured)
        && measured.ledger.status == Status::Complete
        && measured.ledger.container.control.is_none()
    {
        let mut detail = match measured.ledger.container.entries {
            0 => format!("the archive is empty ({})", counted(measured.ledger.bytes, "byte")),
            members => format!("none of {} has this name", counted(members, "member")),
        };
        if measured.ledger.input.to_ascii_lowercase().ends_with(AURORA_BACKUP) {
            detail += "; it is a backup of Aurora-Sim, so load it there, and save an OAR";
        }
        outcomes.push(Finding::new(Code::ARC003).detail(detail));
    }
}

/// Whether the defect shows that the whole archive was packed with wrong paths.
fn is_misplaced(defect: &Defect) -> bool {
    let DefectKind::Input(kind) = &defect.kind else { return false };
    matches!(kind, InputDefect::DottedEntries { control: true } | InputDefect::ControlBelowFolder)
}

fn control_not_first(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let container = &measured.ledger.container;
    if container.control_not_first && container.control.is_some() {
        let finding = Finding::new(Code::ARC005).entry("archive.xml");
        outcomes.push(finding.detail("OpenSim reads the archive twice"));
    }
}

fn no_archive(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let called_so = measured.ledger.unknown.iter().filter(|file| is_archive_name(&file.entry));
    outcomes.extend(called_so.map(|file| {
        let finding = Finding::new(Code::ARC008).entry(&file.entry).detail(&file.looks_like);
        for_all(file, finding)
    }));
    let ledger = measured.ledger;
    if ledger.container.compression.as_deref() == Some(IN_CONTAINER) && is_archive_name(&ledger.input) {
        let detail = "a zip or tar with the files of an unpacked archive";
        outcomes.push(Finding::new(Code::ARC008).detail(detail));
    }
}

/// Returns the finding of a file with its size, for all files that it represents.
pub(super) fn for_all(file: &UnknownFile, finding: Finding) -> Finding {
    let (count, subjects) = (file.files(), file.files());
    Finding { count, subjects, ..finding.measured(file.bytes as f64) }
}

fn no_assets(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let container = &measured.ledger.container;
    let stated = container.control.as_ref().and_then(|control| control.assets_included);
    let has_objects = measured.ledger.objects.iter().any(|object| object.role == Role::Rezzed);
    // Assets come last, so they may be in the lost part.
    if !is_archive(measured) || !container.assets.is_empty() || measured.ledger.status != Status::Complete {
        return;
    }
    let detail = match stated {
        Some(false) => "archive.xml says that they were left out",
        _ if has_objects => "archive.xml does not say why",
        _ => return,
    };
    outcomes.push(Finding::new(Code::ARC009).detail(detail));
}

/// Two assets of one UUID with different content: OpenSim loses the second. The reader finds two entries of one name;
/// MSH013 and XAR002 compare inputs.
fn two_assets_of_one_uuid(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    // Only repeated UUIDs need the map. Nearly all assets have a UUID of their own.
    let mut uuids: Vec<Uuid> = measured.ledger.assets.iter().filter_map(AssetFacts::uuid).collect();
    uuids.sort_unstable();
    let twice: HashSet<Uuid> =
        uuids.array_windows().filter(|[one, next]| one == next).map(|[one, _]| *one).collect();
    drop(uuids);
    let mut first: HashMap<Uuid, &AssetFacts> = HashMap::new();
    for asset in &measured.ledger.assets {
        let Some(uuid) = asset.uuid().filter(|uuid| twice.contains(uuid)) else { continue };
        let before = *first.entry(uuid).or_insert(asset);
        let both_known = before.content_hash.is_some() && asset.content_hash.is_some();
        if both_known && before.content_hash != asset.content_hash && before.entry != asset.entry {
            let detail = format!("{} has the same UUID and different content", before.entry);
            outcomes.push(at_asset(asset, Code::ARC010).detail(detail).aspect("other bytes"));
        }
    }
}

/// The budget of triangles in the evaluation is spent. Decoders report their own budgets.
fn too_many_triangles(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if let Some((wanted, most)) = measured.assets.too_many_scaled() {
        let finding = Finding::new(Code::ARC012)
            .within("scaled_triangles")
            .detail("triangles of scaled physics meshes; costs of further objects are not evaluated");
        outcomes.push(finding.measured(wanted as f64).limit(most as f64));
    }
}

fn not_compressed(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    if measured.ledger.kind.is_packed_archive()
        && measured.ledger.container.compression.as_deref() != Some("gzip")
    {
        outcomes.push(Finding::new(Code::ARC015));
    }
}

fn several_regions(measured: &Measured<'_>, outcomes: &mut RuleOutcomes) {
    let regions = &measured.ledger.regions;
    if !is_archive(measured) || regions.iter().filter(|region| !region.folder.is_empty()).count() < 2 {
        return;
    }
    let smallest = regions.iter().min_by_key(|region| region.size).into_iter().filter(|_| {
        regions.iter().any(|region| region.size != regions[0].size)
            && regions.iter().all(|region| region.size_stated)
    });
    let sizes = smallest.map(|region| {
        let [east, north] = region.size;
        let beyond = |root: &Part| {
            let place = root.group_position.as_vec3();
            place.x >= east as f32 || place.y >= north as f32
        };
        let beyond = rezzed(measured.ledger).filter(|(_, root)| beyond(root)).count();
        if beyond == 0 {
            return String::new();
        }
        format!(
            "; loaded from \"{}\" ({east} × {north} m), the others lose {} beyond that size",
            region.name,
            counted(beyond as u64, "object")
        )
    });
    let detail = sizes.fold(counted(regions.len() as u64, "region"), |words, sizes| words + &sizes);
    outcomes.push(Finding::new(Code::ARC016).entry("archive.xml").detail(detail));
}

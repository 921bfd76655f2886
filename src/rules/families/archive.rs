//! ARC: the container. RUN007: files that were not audited.

use super::object::rezzed;
use crate::RuleOutcomes;
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Finding};
use hullmark_format::{
    defect::{Defect, DefectKind, InputDefect},
    object::Part,
};
use hullmark_ledger::facts::{AssetFacts, Role, Status, UnknownFile, is_archive_name};
use hullmark_util::number_text::counted;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Whether the input is an archive, packed or unpacked, and not a set of loose files.
pub fn is_archive(measured: &Measured<'_>) -> bool {
    measured.ledger.kind.is_archive()
}

/// OpenSim looks for `archive.xml` and refuses an archive without one ("Control file not found").
pub(crate) fn arc003_control_missing(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    // An archive with wrong paths is reported once (ARC004). In a truncated archive, the lost part may contain the
    // file.
    let misplaced =
        measured.profile.selects(Code::ARC004) && measured.ledger.defects.iter().any(is_misplaced);
    if !misplaced
        && is_archive(measured)
        && measured.ledger.status == Status::Complete
        && measured.ledger.container.control.is_none()
    {
        let detail =
            format!("none of {} has this name", counted(measured.ledger.container.entries, "member"));
        verdicts.push(Finding::new(Code::ARC003).detail(detail));
    }
}

/// Whether the defect shows that the whole archive was packed with wrong paths.
fn is_misplaced(defect: &Defect) -> bool {
    let DefectKind::Input(kind) = &defect.kind else { return false };
    matches!(kind, InputDefect::DottedEntries | InputDefect::ControlBelowFolder)
}

/// OpenSim reads the archive again from its start if the control file comes late.
pub(crate) fn arc005_control_not_first(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let container = &measured.ledger.container;
    if container.control_not_first && container.control.is_some() {
        let finding = Finding::new(Code::ARC005).entry("archive.xml");
        verdicts.push(finding.detail("OpenSim reads the archive twice"));
    }
}

/// A file named `.oar` or `.iar` in which nothing can be read.
pub(crate) fn arc008_no_archive(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let called_so = measured.ledger.unknown.iter().filter(|file| is_archive_name(&file.entry));
    verdicts.extend(called_so.map(|file| {
        let finding = Finding::new(Code::ARC008).entry(&file.entry).detail(&file.looks_like);
        for_all(file, finding)
    }));
}

/// Returns the finding of a file with its size, for all files that it represents.
fn for_all(file: &UnknownFile, finding: Finding) -> Finding {
    let (count, subjects) = (file.files(), file.files());
    Finding { count, subjects, ..finding.measured(file.bytes as f64) }
}

/// Without assets, the references of objects cannot be checked.
pub(crate) fn arc009_no_assets(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
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
    verdicts.push(Finding::new(Code::ARC009).detail(detail));
}

/// Two assets of one UUID with different content: OpenSim loses the second. The reader finds two entries of one name;
/// MSH013 and XAR002 compare inputs.
pub(crate) fn arc010_two_assets_of_one_uuid(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
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
            let mut finding = Finding::new(Code::ARC010).entry(asset.entry.to_string());
            finding.place.asset = Some(uuid);
            let detail = format!("{} has the same UUID and different content", before.entry);
            verdicts.push(finding.detail(detail).aspect("other bytes"));
        }
    }
}

/// The budget of triangles in the evaluation is spent. Decoders report their own budgets.
pub(crate) fn arc012_too_many_triangles(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if let Some((wanted, most)) = measured.assets.too_many_scaled() {
        let finding = Finding::new(Code::ARC012)
            .within("scaled_triangles")
            .detail("triangles of scaled physics meshes; costs of further objects are not evaluated");
        verdicts.push(finding.measured(wanted as f64).limit(most as f64));
    }
}

/// A tar without gzip, also in zstd: OpenSim decompresses every archive and fails at the first byte.
pub(crate) fn arc015_not_compressed(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    if measured.ledger.kind.is_packed_archive()
        && measured.ledger.container.compression.as_deref() != Some("gzip")
    {
        verdicts.push(Finding::new(Code::ARC015));
    }
}

/// OpenSim loads several regions by their positions, and crops all of them to the size of one.
pub(crate) fn arc016_several_regions(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
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
        let beyond = rezzed(measured).filter(|(_, root)| beyond(root)).count();
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
    verdicts.push(Finding::new(Code::ARC016).entry("archive.xml").detail(detail));
}

/// A file of unknown type. RUN009 reports files that were named on the command line.
pub(crate) fn run007_unknown_file(measured: &Measured<'_>, verdicts: &mut RuleOutcomes) {
    let no_export = |defect: &&Defect| matches!(defect.kind, DefectKind::Input(InputDefect::NoExport { .. }));
    let named = measured.ledger.defects.iter().filter(no_export);
    let named: HashSet<&str> = named.map(|defect| defect.place.entry.as_str()).collect();
    let is_reported =
        |file: &&UnknownFile| is_archive_name(&file.entry) || named.contains(file.entry.as_str());
    let unknown = measured.ledger.unknown.iter().filter(|file| !is_reported(file));
    verdicts.extend(
        unknown.map(|file| {
            for_all(file, Finding::new(Code::RUN007).entry(&file.entry).detail(&file.looks_like))
        }),
    );
}

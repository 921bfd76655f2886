//! Selects the mesh or object of `inspect`, `link` and `fix`.

use super::{
    Settings,
    input_args::ensure_no_web_address,
    object_name::{FirstMember, Match, ObjectName, ObjectSearch},
    progress::Verbosity,
    standard_input,
};
use anyhow::{Context, bail, ensure};
use hullmark_finding::{Finding, Severity};
use hullmark_format::{Defect, mesh::Mesh, object::Part};
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{MeshFacts, Status},
};
use hullmark_scan::{
    self as scan, ReadOptions, Unwatched,
    object_selection::{Choose, Needs, ObjectSelection},
    one_mesh::{self, read_mesh, read_meshes},
};
use hullmark_settings::passwords::Passwords;
use hullmark_source::{self as source, Input, Loose, ReadRequest, What};
use hullmark_util::{
    lock::{into_inner, lock},
    log,
    terminal_text::clean,
};
use serde::Serialize;
use std::{collections::BTreeSet, path::Path, sync::Mutex};
use uuid::Uuid;

/// Maximum number of similar names in an error.
const OFFERED: usize = 5;

/// Whether a command can show a whole archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    Archive,
    Member,
}

/// The header of each view of a file. Its field names are stable.
#[derive(Debug, Serialize)]
pub(super) struct Head {
    pub(super) file: String,
    /// The requested member. `None` if none was requested.
    pub(super) entry: Option<String>,
    pub(super) profile: String,
    pub(super) profile_description: String,
    /// Status of the file after reading.
    pub(super) status: Status,
    pub(super) worst_severity: Option<Severity>,
}

#[derive(Debug)]
pub(super) struct Picked {
    /// The requested members and the meshes that they use.
    pub(super) ledger: Ledger,
    /// Members to show as meshes. Other meshes are present because an object uses them.
    pub(super) meshes: BTreeSet<String>,
    pub(super) file: String,
    pub(super) entry: Option<String>,
}

impl Picked {
    /// Returns the header of a view with these findings.
    pub(super) fn head(&self, findings: &[(Severity, Finding)], settings: &Settings) -> Head {
        let about = findings.iter().filter(|(_, finding)| self.concerns(&finding.place.entry));
        let (name, profile) = settings.target_of(&self.ledger);
        Head {
            file: self.file.clone(),
            entry: self.entry.clone(),
            profile: name.into(),
            profile_description: profile.description.clone(),
            status: self.ledger.status,
            worst_severity: about.map(|(severity, _)| *severity).max(),
        }
    }

    /// Whether a finding about this member is shown. If one member is selected, findings about other members and the
    /// archive are left out, because they need the complete archive.
    pub(super) fn concerns(&self, entry: &str) -> bool {
        self.entry.is_none()
            || self.ledger.meshes.iter().any(|mesh| mesh.entry == entry)
            || self.ledger.objects.iter().any(|object| object.entry == entry)
            || self.ledger.defects.iter().any(|defect| defect.place.entry == entry)
    }
}

/// Scans a file and selects the requested members.
pub(super) fn pick(
    file: &Path,
    entry: Option<&str>,
    whole: Whole,
    needs: Needs,
    settings: &Settings,
) -> anyhow::Result<Picked> {
    let input = input(file, settings)?;
    let shown = file.display();
    match (&input.what, entry) {
        (What::Archive | What::Tree(_) | What::DumpFolder(_) | What::Place(_), None)
            if whole == Whole::Member =>
        {
            bail!(
                "{shown} is {}. Name an object or mesh with --object, or use `hullmark audit` for the whole archive",
                if matches!(input.what, What::DumpFolder(_) | What::Place(_)) {
                    "a database"
                } else {
                    "an archive"
                }
            )
        }
        (_, None) => ensure_export(&input, file)?,
        _ => {}
    }
    let ledger = match entry {
        Some(entry) => {
            let mut ledger = scan_for(&input, [entry], needs, settings)?;
            keep_only(&mut ledger, entry)?;
            ledger
        }
        None => scan(&input, None, settings)?,
    };
    let wanted =
        |mesh: &&MeshFacts| entry.is_none_or(|entry| ObjectName::new(entry, Match::Exact).entry(&mesh.entry));
    let meshes = ledger.meshes.iter().filter(wanted).map(|mesh| mesh.entry.clone()).collect();
    Ok(Picked { meshes, ledger, file: shown.to_string(), entry: entry.map(str::to_owned) })
}

/// Scans a file and selects the requested objects. A file without objects is an error.
pub(super) fn pick_objects(
    file: &Path,
    object: Option<&str>,
    needs: Needs,
    settings: &Settings,
) -> anyhow::Result<Picked> {
    let picked = pick(file, object, Whole::Archive, needs, settings)?;
    if picked.ledger.objects.is_empty() && picked.ledger.defects.is_empty() {
        bail!("{} has no object: only objects have weights", file.display());
    }
    Ok(picked)
}

/// Scans a file for the places of the objects with these names. Without a name, scans all. The ledger may have
/// further objects.
pub(super) fn pick_places(file: &Path, names: &[String], settings: &Settings) -> anyhow::Result<Picked> {
    if names.is_empty() {
        return pick(file, None, Whole::Archive, Needs::Place, settings);
    }
    let input = input(file, settings)?;
    ensure_export(&input, file)?;
    let ledger = scan_for(&input, names.iter().map(String::as_str), Needs::Place, settings)?;
    Ok(Picked { meshes: BTreeSet::new(), ledger, file: file.display().to_string(), entry: None })
}

/// Ensures that a loose file may be a mesh, a scene or objects.
fn ensure_export(input: &Input, file: &Path) -> anyhow::Result<()> {
    if let What::Folder(files) = &input.what
        && let Some(Loose::NoExport(looks_like)) = files.first().map(|file| &file.what)
    {
        let shown = file.display();
        bail!(
            "{shown} is not a mesh, a scene of meshes, object XML or a viewer's export: it looks like {looks_like}"
        );
    }
    Ok(())
}

fn input(file: &Path, settings: &Settings) -> anyhow::Result<Input> {
    ensure_no_web_address(file)?;
    let limits = &settings.config.limits;
    if standard_input::is_it(file) {
        return only(standard_input::inputs(limits)?, file);
    }
    let folder = file.is_dir();
    let is_it =
        |input: &Input| input.path == file && matches!(input.what, What::Tree(_) | What::DumpFolder(_));
    let mut inputs = source::walk_knowing(&[file.to_owned()], &[], limits, &|_, _| false)?;
    let passwords = Passwords::read(None)?;
    inputs.iter_mut().for_each(|input| input.access.password = passwords.of(&input.path).cloned());
    if !folder {
        return only(inputs, file);
    }
    inputs.into_iter().find(is_it).with_context(|| {
        format!(
            "{} is a folder. Name one of its files, or use `hullmark audit` for the whole folder",
            file.display()
        )
    })
}

/// Returns the only input. A container may hold several.
fn only(mut inputs: Vec<Input>, file: &Path) -> anyhow::Result<Input> {
    let several = || {
        let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).take(OFFERED).collect();
        format!("{} holds several inputs. Name one of them: {}", file.display(), names.join(", "))
    };
    ensure!(inputs.len() < 2, several());
    inputs.pop().with_context(|| format!("{} holds no input", file.display()))
}

/// Scans what the objects with these names need. If one of several names is missing, the others are in the ledger.
/// Without any, the ledger is complete: it has the damage of members, and similar names.
fn scan_for<'a>(
    input: &Input,
    names: impl IntoIterator<Item = &'a str>,
    needs: Needs,
    settings: &Settings,
) -> anyhow::Result<Ledger> {
    // The files of a folder are inputs of their own.
    if !matches!(input.what, What::Archive | What::Tree(_) | What::DumpFolder(_)) {
        return scan(input, None, settings);
    }
    let sought = ObjectSearch::new(names);
    let ledger = scan(input, Some(ObjectSelection { choice: &sought, needs }), settings)?;
    if !sought.finds_any() {
        return scan(input, None, settings);
    }
    if sought.is_done() && ledger.content_hash.is_none() && ledger.status == Status::Complete {
        say_what_was_not_read(input, settings);
    }
    Ok(ledger)
}

/// Prints a note that the rest of an input may have members of the same UUIDs.
fn say_what_was_not_read(input: &Input, settings: &Settings) {
    if settings.verbosity != Verbosity::Quiet {
        let words = format!(
            "{} was read until nothing was missing. Whether UUIDs occur again behind it was not evaluated.",
            input.name
        );
        log::say(log::Level::Info, &words);
    }
}

fn scan(input: &Input, objects: Option<ObjectSelection<'_>>, settings: &Settings) -> anyhow::Result<Ledger> {
    let kept = Mutex::new(None);
    let options = ReadOptions::new(&settings.config.limits, settings.config.threads);
    scan::read_inputs(
        std::slice::from_ref(input),
        &ReadOptions { objects, ..options },
        &Unwatched,
        &|ledger| {
            *lock(&kept) = Some(ledger);
            Ok(())
        },
    )?;
    let kept = into_inner(kept);
    kept.with_context(|| format!("{} was not scanned", input.name))
}

/// Reads the points of a selected mesh. The facts contain only the numbers of hulls, so the file is read again.
pub(super) fn decode_mesh(file: &Path, entry: &str, settings: &Settings) -> anyhow::Result<Mesh> {
    let mesh = read_mesh(&input(file, settings)?, entry, &settings.config.limits);
    mesh.with_context(|| format!("\"{}\" is gone from {}", clean(entry), file.display()))
}

/// Reads the bytes of a mesh asset.
pub(super) fn read_asset(file: &Path, entry: &str, settings: &Settings) -> anyhow::Result<Vec<u8>> {
    let asset = one_mesh::read_asset(&input(file, settings)?, entry, &settings.config.limits);
    asset.with_context(|| format!("\"{}\" is gone from {}", clean(entry), file.display()))
}

/// Reads the points of several meshes, and passes each on. Those that are gone are left out.
pub(super) fn decode_meshes(
    file: &Path,
    entries: &BTreeSet<String>,
    settings: &Settings,
    take: &mut dyn FnMut(&str, Mesh),
) -> anyhow::Result<()> {
    let request =
        ReadRequest { selection: settings.config.selection(), ..ReadRequest::new(&settings.config.limits) };
    read_meshes(&input(file, settings)?, entries, &request, take);
    Ok(())
}

/// Removes everything from the ledger except the objects of this name and the meshes that they use.
fn keep_only(ledger: &mut Ledger, name: &str) -> anyhow::Result<()> {
    let exact = ObjectName::new(name, Match::Exact);
    let is_member = ledger.meshes.iter().any(|mesh| exact.entry(&mesh.entry))
        || ledger.defects.iter().any(|defect| exact.entry(&defect.place.entry));
    let wanted = ObjectName::strictest(name, |wanted| ledger.objects.iter().any(|object| wanted.is(object)));
    if wanted.is_none() && !is_member {
        bail!("{}", not_found(ledger, name));
    }
    let mut first = FirstMember::default();
    let archive = ledger.kind != InputKind::Folder;
    ledger.objects.retain(|object| {
        let is_it = |wanted: &ObjectName<'_>| wanted.is(object) && first.counts(wanted, &object.entry);
        wanted.as_ref().is_some_and(is_it)
    });
    let used = used_meshes(ledger);
    // OpenSim keeps the first of two assets with one UUID.
    let mut seen = BTreeSet::new();
    ledger.meshes.retain(|mesh| {
        (exact.entry(&mesh.entry) || mesh.uuid.is_some_and(|uuid| used.contains(&uuid)))
            && (!archive || mesh.uuid.is_none_or(|uuid| seen.insert(uuid)))
    });
    let entries: BTreeSet<&str> = ledger.objects.iter().map(|object| object.entry.as_str()).collect();
    let meshes = &ledger.meshes;
    ledger.defects.retain(|Defect { place, .. }| {
        exact.entry(&place.entry)
            || entries.contains(place.entry.as_str())
            || meshes.iter().any(|mesh| mesh.is_at(&place.entry, &place.within))
    });
    Ok(())
}

/// Returns the meshes that the objects of a ledger use.
fn used_meshes(ledger: &Ledger) -> BTreeSet<Uuid> {
    let parts = ledger.objects.iter().flat_map(|object| &object.linkset.parts);
    parts.filter_map(Part::mesh).collect()
}

/// Returns the error for an unknown name, with similar names.
fn not_found(ledger: &Ledger, name: &str) -> String {
    let mut text =
        format!("{} has no object, mesh or member with the name or UUID \"{}\"", ledger.input, clean(name));
    if ledger.status != Status::Complete {
        text += "; the archive was not fully read";
    }
    let sought = name.to_lowercase();
    let like = |name: &&str| name.to_lowercase().contains(&sought);
    let objects = ledger.objects.iter();
    let names = objects.flat_map(|object| object.linkset.parts.first().map(|root| root.name.as_str()));
    let entries = ledger.objects.iter().map(|object| object.entry.as_str());
    let entries = entries.chain(ledger.meshes.iter().map(|mesh| mesh.entry.as_str()));
    let likely: BTreeSet<&str> = names.chain(entries).filter(like).collect();
    if !likely.is_empty() {
        text += ". Similar names:";
        for name in likely.into_iter().take(OFFERED) {
            text += &format!("\n  {}", clean(name));
        }
    }
    text
}

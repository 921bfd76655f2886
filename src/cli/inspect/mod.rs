//! `inspect`: shows the meshes and objects of one file.
//!
//! [`select_entry`] scans the file and selects the requested members. [`view`] joins facts, measures and findings into
//! plain data. Text and JSON are written from that data.

mod object;
mod text;
mod view;

use super::{
    Outcome, Run, Settings,
    flags::{EvaluationArgs, Flags, INPUT, OUTPUT},
    scene_file::{colour_by, write_scene},
    select_entry::{self, Picked, Whole},
};
use crate::cli::{progress::Verbosity, terminal::print_view};
use anyhow::{Context, anyhow, bail};
use clap::Args;
use glam::DVec3;
use hullmark_analysis::Measured;
use hullmark_finding::{Finding, Place, Severity};
use hullmark_format::mesh::Mesh;
use hullmark_ledger::facts::Status;
use hullmark_pages::{
    gltf::{
        self,
        scene::{ColourBy, Levels, MeshSource, Scene, SceneObject},
    },
    inspect::picture,
};
use hullmark_report::Evaluated;
use hullmark_scan::object_selection::Needs;
use hullmark_util::terminal_text::clean;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};
use view::InspectView;

const EXAMPLES: &str = "\
Examples:
  hullmark inspect chair.llmesh --scale 1,1,2 --svg hulls.svg
  hullmark inspect chair.llmesh --glb chair.glb
  hullmark inspect chair.glb --llmesh chair.llmesh
  hullmark inspect first-region.oar --object \"Market stall\" --glb stall.glb
  hullmark inspect first-region.oar --object \"Market stall\"";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct InspectArgs {
    /// A mesh asset, a scene of meshes, a model, object XML, or an archive with --object
    #[arg(value_name = "FILE", help_heading = INPUT, display_order = 0)]
    file: PathBuf,
    /// Object, mesh or member of an archive: a name or a UUID
    ///
    /// It may be the name of an object, the UUID of an object, part or asset, or the name of a member.
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    object: Option<String>,
    /// Size of the mesh in metres for its costs; one number for a cube
    #[arg(long, value_name = "X,Y,Z", value_parser = scale, help_heading = INPUT)]
    scale: Option<DVec3>,
    /// Print JSON
    #[arg(long, help_heading = OUTPUT)]
    json: bool,
    /// Draw the hulls of one mesh, at --scale, from four sides
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    svg: Option<PathBuf>,
    /// Write one mesh, at --scale, or objects as binary glTF
    ///
    /// A mesh has its levels of detail, hulls and physics triangles. An object has the surfaces of its prims.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    glb: Option<PathBuf>,
    /// Colors of the objects in --glb: faces, land-impact, physics-cost or findings [default: faces]
    #[arg(long, alias = "colour-by", value_name = "COLORS", value_parser = colour_by(), requires = "glb", help_heading = OUTPUT, hide_short_help = true)]
    color_by: Option<ColourBy>,
    /// Write one mesh as an asset; of a model, the one that an upload would make
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    llmesh: Option<PathBuf>,
    #[command(flatten)]
    pub(super) evaluated: EvaluationArgs,
}

impl Run for InspectArgs {
    fn flags(&self) -> Vec<&dyn Flags> {
        self.evaluated.flags()
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Outcome> {
        let picked =
            select_entry::pick(&self.file, self.object.as_deref(), Whole::Member, Needs::Assets, settings)?;
        if self.scale.is_some() && picked.meshes.is_empty() {
            bail!("--scale is for meshes: the parts of an object have scales of their own");
        }
        let measured = Measured::new(&picked.ledger, settings.profile_of(&picked.ledger));
        let findings = Evaluated::without_context(&measured).findings;
        let view = InspectView::new(&measured, &picked, &findings, self.scale, settings);
        write_pictures(self, &picked, &view, settings)?;
        if let Some(path) = self.glb.as_deref().filter(|_| !view.objects.is_empty()) {
            write_objects(self, path, &measured, &findings, settings)?;
        }
        print_view(self.json, &view, || text::text(&view, settings.verbosity == Verbosity::Verbose))?;
        Ok(settings.outcome(view.head.status == Status::Complete, view.head.worst_severity))
    }
}

fn write_pictures(
    args: &InspectArgs,
    picked: &Picked,
    view: &InspectView,
    settings: &Settings,
) -> anyhow::Result<()> {
    // Objects have a file of their own kind.
    let glb = args.glb.as_ref().filter(|_| view.objects.is_empty());
    if args.color_by.is_some() && glb.is_some() {
        bail!("--color-by is for objects: a mesh has colors for its parts");
    }
    let options =
        [("--svg", args.svg.is_some()), ("--glb", glb.is_some()), ("--llmesh", args.llmesh.is_some())];
    let Some((option, _)) = options.into_iter().find(|(_, is_given)| *is_given) else { return Ok(()) };
    let [shown] = view.meshes.as_slice() else {
        bail!("{option} writes one mesh, and {} are shown here: name one with --object", picked.meshes.len());
    };
    if let Some(path) = &args.llmesh {
        write(path, &select_entry::read_asset(&args.file, &shown.name, settings)?)?;
    }
    if args.svg.is_none() && glb.is_none() {
        return Ok(());
    }
    let mesh = select_entry::decode_mesh(&args.file, &shown.name, settings)?;
    let name = clean(&shown.name);
    if let Some(path) = &args.svg {
        let svg = picture::draw(&mesh, shown, &settings.profile.hulls);
        let svg = svg.with_context(|| {
            format!("\"{name}\" has no hulls that could be drawn: list its findings without --svg")
        })?;
        write(path, svg.as_bytes())?;
    }
    if let Some(path) = glb {
        let glb =
            gltf::glb(&mesh, shown).map_err(|error| anyhow!("\"{name}\" cannot be written: {error}"))?;
        write(path, &glb)?;
    }
    Ok(())
}

/// Writes the objects of a file. The first one is at the origin.
fn write_objects(
    args: &InspectArgs,
    path: &Path,
    measured: &Measured<'_>,
    findings: &[(Severity, Finding)],
    settings: &Settings,
) -> anyhow::Result<()> {
    let mut scene = Scene::new(args.color_by.unwrap_or_default(), Levels::Highest);
    scene.next_input();
    let place = scene.elsewhere(&measured.ledger.input);
    let roots = measured.objects().filter_map(|(object, _)| object.linkset.parts.first());
    let origin = roots.map(|root| root.group_position).find(|position| position.is_finite());
    for (object, measures) in measured.objects() {
        let root = object.linkset.parts.first().map(|root| root.uuid);
        let about = |place: &Place| place.entry == object.entry && place.object == root;
        let of_object: Vec<_> = findings.iter().filter(|(_, finding)| about(&finding.place)).collect();
        let object = SceneObject {
            object,
            measures,
            findings: of_object.len() as u64,
            worst: of_object.iter().map(|(severity, _)| *severity).max(),
        };
        scene.object(&object, measured, place, origin.unwrap_or_default());
    }
    let mut read = |_: &MeshSource, entries: &BTreeSet<String>, take: &mut dyn FnMut(&str, &Mesh)| {
        select_entry::decode_meshes(&args.file, entries, settings, &mut |entry, mesh| take(entry, &mesh))
    };
    write_scene(path, scene, &mut read, settings)
}

fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
}

/// Parses `1,2,0.5`, or one number for a cube.
fn scale(text: &str) -> Result<DVec3, String> {
    let sides: Option<Vec<f64>> = text.split(',').map(|side| side.trim().parse().ok()).collect();
    let sides = match sides.as_deref() {
        Some(&[side]) => DVec3::splat(side),
        Some(&[x, y, z]) => DVec3::new(x, y, z),
        _ => DVec3::NAN,
    };
    if sides.is_finite() && sides.min_element() > 0.0 {
        Ok(sides)
    } else {
        Err("use three sides in metres, as 1,2,0.5, or one for a cube".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_three_sides_or_one() {
        assert_eq!(scale("1, 2,0.5"), Ok(DVec3::new(1.0, 2.0, 0.5)));
        assert_eq!(scale("10"), Ok(DVec3::splat(10.0)));
        for wrong in ["", "1,2", "1,2,3,4", "0,1,1", "-1", "inf", "NaN", "a"] {
            assert!(scale(wrong).is_err(), "{wrong}");
        }
    }
}

//! `inspect`: shows the meshes and objects of one file.
//!
//! [`select_entry`] scans the file and selects the requested members. [`view`] joins facts, measures and findings into
//! plain data. Text and JSON are written from that data.

mod mesh;
mod object;
mod picture;
mod text;
mod view;

use super::{
    Outcome, Settings,
    options::{EvaluationArgs, INPUT, OUTPUT},
    select_entry::{self, Picked, Whole},
};
use crate::{
    analysis::Measured,
    cli::progress::Verbosity,
    cli::terminal::print,
    ledger::facts::Status,
    report::Evaluated,
    scan::only::Needs,
    util::{escape, terminal_text::clean},
};
use anyhow::{Context, bail};
use clap::Args;
use glam::DVec3;
use std::{
    fs,
    path::{Path, PathBuf},
};
use view::View;

const EXAMPLES: &str = "\
Examples:
  hullmark inspect chair.llmesh --scale 1,1,2 --svg hulls.svg
  hullmark inspect region.oar --object \"Garden chair\"";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct InspectArgs {
    /// A mesh asset, a scene of meshes, object XML, or an archive with --object
    #[arg(value_name = "FILE", help_heading = INPUT, display_order = 0)]
    file: PathBuf,
    /// Object, mesh or member of an archive: a name or a UUID
    ///
    /// It may be the name of an object, the UUID of an object, part or asset, or the name of a member.
    #[arg(long, visible_alias = "entry", value_name = "NAME", help_heading = INPUT)]
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
    #[command(flatten)]
    pub(super) evaluated: EvaluationArgs,
}

/// Shows the content of a file.
pub(super) fn inspect(args: &InspectArgs, settings: &Settings) -> anyhow::Result<Outcome> {
    let picked =
        select_entry::pick(&args.file, args.object.as_deref(), Whole::Member, Needs::Assets, settings)?;
    if args.scale.is_some() && picked.meshes.is_empty() {
        bail!("--scale is for meshes: the parts of an object have scales of their own");
    }
    let measured = Measured::new(&picked.ledger, &settings.profile);
    let findings = Evaluated::without_context(&measured).findings;
    let scale = args.scale.unwrap_or(DVec3::ONE);
    let view = View::new(&measured, &picked, &findings, scale, settings);
    if let Some(path) = &args.svg {
        let svg = draw(&args.file, &picked, scale, settings)?;
        fs::write(path, svg).with_context(|| format!("{} cannot be written", path.display()))?;
    }
    if args.json {
        print(&escape::json(&view)?)?;
    } else {
        print(&text::text(&view, settings.verbosity == Verbosity::Verbose))?;
    }
    Ok(settings.outcome(view.head.status == Status::Complete, view.head.worst_severity))
}

/// Draws the selected mesh.
fn draw(file: &Path, picked: &Picked, scale: DVec3, settings: &Settings) -> anyhow::Result<String> {
    let mut meshes = picked.meshes.iter();
    let (Some(entry), None) = (meshes.next(), meshes.next()) else {
        bail!("--svg draws one mesh, and {} are shown here: name one", picked.meshes.len());
    };
    let mesh = select_entry::decode_mesh(file, entry, settings)?;
    let hulls = &settings.profile.hulls;
    let drawn = mesh.convex.as_ref().and_then(|convex| picture::draw(entry, convex, scale, hulls));
    drawn.with_context(|| {
        format!("\"{}\" has no hulls that could be drawn: list its findings without --svg", clean(entry))
    })
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

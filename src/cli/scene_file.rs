//! Writes a scene of objects as binary glTF: `audit --scene` and `inspect --glb`.

use super::{Settings, input_args::Inputs, metrics_file::replace, progress::Verbosity};
use anyhow::{Context, anyhow, ensure};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use hullmark_format::mesh::Mesh;
use hullmark_pages::gltf::{
    GltfError,
    scene::{ColourBy, MeshSource, Scene, uuid_of},
};
use hullmark_scan::one_mesh::read_meshes;
use hullmark_source::{self as source, Input, ReadRequest};
use hullmark_storage as storage;
use hullmark_util::{log, number_text::thousands};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Reads meshes of a source again, and passes each on.
type Read<'a> =
    dyn FnMut(&MeshSource, &BTreeSet<String>, &mut dyn FnMut(&str, &Mesh)) -> anyhow::Result<()> + 'a;

/// The scene of an audit.
#[derive(Debug, Args)]
pub(super) struct SceneArgs {
    /// Write all objects in regions as binary glTF, which 3-D programs open
    ///
    /// Meshes are read again, so the inputs must still be there.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub(super) scene: Option<PathBuf>,
    /// Colors in --scene: faces, land-impact, physics-cost or findings [default: faces]
    #[arg(long, alias = "colour-by", value_name = "COLORS", value_parser = colour_by(), requires = "scene", hide_short_help = true)]
    pub(super) color_by: Option<ColourBy>,
}

impl SceneArgs {
    /// Returns the file, if its folder is there. Otherwise a long run would end without it.
    pub(super) fn file(&self) -> anyhow::Result<Option<&Path>> {
        let Some(file) = self.scene.as_deref() else { return Ok(None) };
        ensure!(!storage::is_url(file), "--scene is a file on a disk. Name a file, not a URL");
        ensure!(!file.is_dir(), "--scene {} is a folder. Name a file", file.display());
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        ensure!(
            folder.is_dir(),
            "The folder of --scene {} does not exist. Create it, or name another file",
            file.display()
        );
        Ok(Some(file))
    }
}

/// Parses the meaning of colours.
pub(super) fn colour_by() -> impl TypedValueParser<Value = ColourBy> {
    PossibleValuesParser::new(ColourBy::ALL.iter().map(|by| by.name())).try_map(|name| {
        ColourBy::ALL.iter().copied().find(|by| by.name() == name).ok_or_else(|| anyhow!("unknown colours"))
    })
}

/// Writes a scene of the inputs of a run. Inputs without objects are no error of a run: its report is complete.
pub(super) fn write_scene_of(
    file: &Path,
    scene: Scene,
    inputs: &Inputs,
    settings: &Settings,
) -> anyhow::Result<()> {
    let limits = &settings.config.limits;
    let found = |paths: &[PathBuf]| -> anyhow::Result<Vec<Input>> {
        let mut found = source::walk_knowing(paths, &[], limits, &|_, _| false)?;
        found.iter_mut().for_each(|input| input.access.password = inputs.passwords.of(&input.path).cloned());
        Ok(found)
    };
    let mut read = |from: &MeshSource, entries: &BTreeSet<String>, take: &mut dyn FnMut(&str, &Mesh)| {
        let request = ReadRequest { selection: settings.config.selection(), ..ReadRequest::new(limits) };
        let mut pass = |entry: &str, mesh: Mesh| take(entry, &mesh);
        match from {
            MeshSource::Input(name) => {
                let streams = inputs.streams.iter().cloned();
                let all = streams.chain(found(&inputs.paths)?);
                for input in all.filter(|input| input.name == *name) {
                    read_meshes(&input, entries, &request, &mut pass);
                }
            }
            MeshSource::Stores => {
                let bodies: BTreeSet<_> = entries.iter().filter_map(|entry| uuid_of(entry)).collect();
                let lacked = Arc::new(bodies.clone());
                for mut store in found(&inputs.assets)? {
                    store.access.lacked = Some(Arc::clone(&lacked));
                    let request = ReadRequest { bodies: Some(&bodies), ..request.clone() };
                    read_meshes(&store, entries, &request, &mut pass);
                }
            }
        }
        Ok(())
    };
    if scene.is_empty() {
        let words = format!("{} is not written: {}", file.display(), GltfError::NothingInPlace);
        log::say(log::Level::Warning, &words);
        return Ok(());
    }
    write_scene(file, scene, &mut read, settings)
}

/// Writes a scene, and prints its content and the things that it leaves out.
pub(super) fn write_scene(
    file: &Path,
    scene: Scene,
    read: &mut Read<'_>,
    settings: &Settings,
) -> anyhow::Result<()> {
    let mut failed = Ok(());
    let written = scene.write(&mut |from, entries, take| {
        if let Err(error) = read(from, entries, take) {
            failed = Err(error);
        }
    });
    failed.context("The meshes of the scene cannot be read again")?;
    let (glb, counts) = written.map_err(|error| anyhow!("{} is not written: {error}", file.display()))?;
    replace(file, &glb).with_context(|| format!("{} cannot be written", file.display()))?;
    if settings.verbosity > Verbosity::Quiet {
        let bytes = thousands(glb.len() as u64);
        log::say(log::Level::Info, &format!("{} has {} in {bytes} bytes", file.display(), counts.in_words()));
        counts.left_out().iter().for_each(|line| log::say(log::Level::Warning, line));
    }
    Ok(())
}

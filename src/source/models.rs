//! The files of models: each model with the files of its levels, its physics model and its buffers.
//!
//! These files are members of no other model, and nothing of their own.

use super::{Kind, Loose, LooseFile, Stamp};
use hullmark_model::{Slot, buffers, file_of};
use std::{
    collections::{HashMap, HashSet},
    fs::{self, Metadata},
    path::Path,
};

/// Description of a buffer of a model.
const BUFFER: &str = "buffer of a model";

/// Largest model as text that is read for the names of its buffers.
const MOST_TEXT: u64 = 100_000_000;

/// The files of a folder by their names.
pub(super) struct Models<'a> {
    by_name: HashMap<&'a str, &'a LooseFile>,
    /// Names of files that are read with a model.
    parts: HashSet<String>,
    /// Names of files that were read with a model.
    read: HashSet<&'a str>,
}

impl<'a> Models<'a> {
    pub(super) fn of(files: &'a [LooseFile]) -> Self {
        let models = || files.iter().filter(|file| is_model(file));
        if models().next().is_none() {
            return Self { by_name: HashMap::new(), parts: HashSet::new(), read: HashSet::new() };
        }
        let by_name: HashMap<&str, &LooseFile> =
            files.iter().map(|file| (file.name.as_str(), file)).collect();
        let of_levels = models().flat_map(|model| levels(&model.name));
        let parts = of_levels.filter(|name| by_name.get(name.as_str()).is_some_and(|file| is_model(file)));
        let mut parts: HashSet<String> = parts.collect();
        // Which buffer belongs to which model is known once the models are read.
        if models().any(|model| is_text(&model.name)) {
            let is_buffer = |file: &&LooseFile| {
                file.what.is_unknown()
                    && (is_buffer(&file.name) || file.what.unknown().is_some_and(|what| what == BUFFER))
            };
            parts.extend(files.iter().filter(is_buffer).map(|file| file.name.clone()));
        }
        Self { by_name, parts, read: HashSet::new() }
    }

    /// Whether a file is read with a model.
    pub(super) fn are_with(&self, file: &LooseFile) -> bool {
        self.parts.contains(&file.name)
    }

    pub(super) fn note_read(&mut self, file: &'a LooseFile) {
        self.read.insert(&file.name);
    }

    /// Whether a file may be a buffer, and no model names it.
    pub(super) fn is_left(&self, file: &LooseFile) -> bool {
        file.what.is_unknown() && self.are_with(file) && !self.read.contains(file.name.as_str())
    }

    /// Returns the files of the levels and of the physics model of a model.
    pub(super) fn levels(&self, model: &str) -> Vec<&'a LooseFile> {
        levels(model).filter_map(|name| self.by_name.get(name.as_str()).copied()).collect()
    }

    /// Returns the buffers that a model names.
    pub(super) fn buffers(&self, model: &[u8]) -> Vec<&'a LooseFile> {
        buffers(model).into_iter().filter_map(|name| self.by_name.get(name.as_str()).copied()).collect()
    }
}

/// Returns the other files of a model on a disk. The files of buffers are named in the model, so
/// a model that is text is read.
pub(super) fn beside(model: &Path) -> Vec<LooseFile> {
    let Some(name) = model.file_name().and_then(|name| name.to_str()) else { return Vec::new() };
    let of_buffers = match is_text(name) && model.metadata().is_ok_and(|found| found.len() <= MOST_TEXT) {
        true => buffers(&fs::read(model).unwrap_or_default()),
        false => Vec::new(),
    };
    let of_levels = levels(name).map(|name| (name, Loose::Known(Kind::Model)));
    let of_buffers = of_buffers.into_iter().map(|name| (name, Loose::Unknown(BUFFER.into())));
    let files =
        of_levels.chain(of_buffers).filter(|(name, _)| !name.is_empty() && !name.contains(['/', '\\']));
    let found = files.filter_map(|(name, what)| {
        let path = model.with_file_name(&name);
        let found = path.metadata().ok().filter(Metadata::is_file)?;
        let stamp = Stamp::of_file_now(&path);
        Some(LooseFile { path, name, bytes: found.len(), stamp, what })
    });
    found.collect()
}

/// Returns the names of the files that may belong to a model: levels and physics.
pub(super) fn levels(model: &str) -> impl Iterator<Item = String> {
    Slot::ALL.into_iter().filter_map(move |slot| file_of(model, slot))
}

pub(super) fn is_model(file: &LooseFile) -> bool {
    file.what == Loose::Known(Kind::Model)
}

/// Whether a file has the name of a buffer.
pub(super) fn is_buffer(name: &str) -> bool {
    ends_with(name, ".bin")
}

/// Whether a model has buffers in files of their own.
pub(super) fn is_text(name: &str) -> bool {
    ends_with(name, ".gltf")
}

fn ends_with(name: &str, ending: &str) -> bool {
    name.len() >= ending.len()
        && name.as_bytes()[name.len() - ending.len()..].eq_ignore_ascii_case(ending.as_bytes())
}

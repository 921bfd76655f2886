//! Dumps of several files in containers: of mydumper and MySQL Workbench.

use super::{Lister, members::Members, start_of};
use crate::{
    Input, Loose, LooseFile, What,
    dump_folders::{self, Candidate},
};
use std::{path::Path, sync::Arc};

/// A file of a container: an input of its own, or a loose file.
struct Member<'a> {
    input: Option<Input>,
    file: LooseFile,
    members: &'a Members,
}

impl Candidate for Member<'_> {
    fn path(&self) -> &Path {
        &self.file.path
    }

    fn start(&self, bytes: usize) -> Option<Vec<u8>> {
        start_of(&self.members.get(&self.file.path)?, bytes).ok()
    }

    fn into_file(self) -> LooseFile {
        self.file
    }
}

impl Lister<'_> {
    /// Makes one input of the files of each dump. `before` is the number of inputs before the container.
    pub(super) fn sort_dumps(
        &mut self,
        outer: &str,
        container: &Path,
        before: usize,
        loose: &mut Vec<LooseFile>,
    ) {
        let members = &self.members;
        let of_input = |input: Input| {
            let Input { path, bytes, stamp, .. } = &input;
            let what = Loose::Unknown(String::new());
            let file =
                LooseFile { path: path.clone(), bytes: *bytes, stamp: *stamp, name: String::new(), what };
            Member { input: Some(input), file, members }
        };
        let (archives, mut inputs): (Vec<Input>, Vec<Input>) =
            self.inputs.drain(before..).partition(|input| input.what == What::Archive);
        let files = std::mem::take(loose).into_iter().map(|file| Member { input: None, file, members });
        let files = archives.into_iter().map(of_input).chain(files).collect();
        let (dumps, others) = dump_folders::claim(files);
        for Member { input, file, .. } in others {
            match input {
                Some(input) => inputs.push(input),
                None => loose.push(file),
            }
        }
        self.inputs.extend(inputs);
        for (path, files) in dumps {
            let name = match path.strip_prefix(container) {
                Ok(inner) if inner != Path::new("") => {
                    format!("{outer}/{}", crate::shown(inner))
                }
                _ if loose.is_empty() => outer.to_owned(),
                // The name of an input is unique: other files of the container have its own.
                _ => format!("{outer}/."),
            };
            let input = Input::of_files(name, path, What::DumpFolder(Arc::new(files)));
            self.inputs.push(Input { modified: self.modified, ..input });
        }
    }
}

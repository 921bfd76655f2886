//! Inputs of one name: the name of an input is that of its ledger and of its row, so each has its own.

use super::{Input, Loose, LooseFile, What};
use std::{
    collections::{HashMap, HashSet},
    path::PathBuf,
    sync::Arc,
};

/// Sorts inputs by name. An input that is there twice becomes one, parts of one container are joined, and different
/// inputs of one name get numbers.
pub(super) fn join(inputs: &mut Vec<Input>) {
    // The kind decides before the size, so that a name does not move from one file to another one when they grow.
    inputs.sort_by(|a, b| {
        let key = |input: &Input| (kind(&input.what), std::cmp::Reverse(input.bytes));
        a.name.cmp(&b.name).then_with(|| key(a).cmp(&key(b))).then_with(|| a.path.cmp(&b.path))
    });
    let mut joined: Vec<Input> = Vec::with_capacity(inputs.len());
    for input in inputs.drain(..) {
        let same = joined.iter_mut().rev().take_while(|other| other.name == input.name);
        let mut same = same.filter(|other| other.path == input.path);
        match same.find(|other| other.what == input.what || are_parts(other, &input)) {
            Some(other) if other.what == input.what => {}
            Some(other) => add(other, input),
            None => joined.push(input),
        }
    }
    number(&mut joined);
    joined.sort_by(|a, b| a.name.cmp(&b.name));
    *inputs = joined;
}

/// The order of kinds that may have one name.
fn kind(what: &What) -> u8 {
    match what {
        What::Archive => 0,
        What::Unreadable(_) => 1,
        What::Tree(_) => 2,
        What::DumpFolder(_) => 3,
        What::Place(_) => 4,
        What::Folder(_) => 5,
    }
}

/// Whether two inputs are the other files of one container, which were named in parts.
fn are_parts(one: &Input, other: &Input) -> bool {
    let is_part = |input: &Input| input.stream.is_some() && matches!(input.what, What::Folder(_));
    is_part(one) && is_part(other)
}

/// Adds the files of the second input to those of the first. A file that was named stays one that must be an export.
fn add(one: &mut Input, other: Input) {
    let (What::Folder(files), What::Folder(more)) = (&mut one.what, other.what) else { return };
    let files = Arc::make_mut(files);
    let mut places: HashMap<PathBuf, usize> =
        files.iter().enumerate().map(|(place, file)| (file.path.clone(), place)).collect();
    for file in Arc::unwrap_or_clone(more) {
        match places.get(&file.path) {
            Some(&place) if is_named(&file) => files[place] = file,
            Some(_) => {}
            None => {
                places.insert(file.path.clone(), files.len());
                files.push(file);
            }
        }
    }
    let (name, path, what) =
        (one.name.clone(), one.path.clone(), What::Folder(Arc::new(std::mem::take(files))));
    *one = Input { stream: one.stream.take(), ..Input::of_files(name, path, what) };
}

fn is_named(file: &LooseFile) -> bool {
    matches!(file.what, Loose::NoExport(_))
}

/// Gives each further input of a name a number.
fn number(inputs: &mut [Input]) {
    let mut taken: HashSet<String> = inputs.iter().map(|input| input.name.clone()).collect();
    let mut before = String::new();
    for input in inputs {
        let name = input.name.clone();
        if name == before {
            let mut numbered = (2_u64..).map(|number| format!("{name} ({number})"));
            if let Some(free) = numbered.find(|numbered| taken.insert(numbered.clone())) {
                input.name = free;
            }
        }
        before = name;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Stamp, Stream};
    use std::io;

    fn file(path: &str, what: Loose) -> LooseFile {
        let stamp = Stamp::of_hash("1");
        LooseFile { path: path.into(), name: path.into(), bytes: 1, stamp, what }
    }

    fn part(files: Vec<LooseFile>) -> Input {
        let stream = Some(Stream::new(|| Ok(Box::new(io::empty()))));
        Input { stream, ..Input::of_files("z.zip".into(), "z.zip".into(), What::Folder(Arc::new(files))) }
    }

    #[test]
    fn parts_of_a_container_become_one_and_the_rest_gets_numbers() {
        let known = |path| file(path, Loose::Known(Kind::Object));
        let unknown = |path| file(path, Loose::Unknown("text".into()));
        let named = |path| file(path, Loose::NoExport("text".into()));
        let mut inputs = vec![
            part(vec![known("a"), unknown("b")]),
            part(vec![named("b")]),
            part(vec![known("c")]),
            Input::new("d".into(), "d".into(), What::Tree(Arc::default())),
            Input { bytes: 9, ..Input::new("d".into(), "d".into(), What::Folder(Arc::default())) },
            Input::new("d (2)".into(), "d (2)".into(), What::Archive),
            Input::new("d".into(), "d".into(), What::Archive),
            Input::new("d".into(), "d".into(), What::Archive),
        ];
        join(&mut inputs);
        let names: Vec<&str> = inputs.iter().map(|input| &*input.name).collect();
        assert_eq!(names, ["d", "d (2)", "d (3)", "d (4)", "z.zip"]);
        assert_eq!(inputs[0].what, What::Archive);
        assert_eq!(inputs[4].what, What::Folder(Arc::new(vec![known("a"), named("b"), known("c")])));
        assert_eq!(inputs[4].bytes, 3);
        let whole = inputs.remove(4);
        assert!(whole.stamp.is_some() && whole.stamp == part(whole.loose().to_vec()).stamp);
        assert_ne!(whole.stamp, part(vec![known("a"), unknown("b"), known("c")]).stamp, "its role counts");
    }
}

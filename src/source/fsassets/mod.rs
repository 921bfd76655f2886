//! FSAssets: the tree of files in which OpenSimulator keeps assets under the hashes of their content.
//!
//! A tree may have millions of files. So each first folder is an input with a ledger of its own, and one more has the
//! rest. A run can then stop, continue and take samples, and an unchanged folder is not read again. A file has no UUID
//! and no type: these are in the table of the service ([`StoreTable`](crate::store_table::StoreTable)).

mod content;
mod reader;
mod tree;

use super::{Input, Place, ReadRequest, Reading, Stamp, Visitor, What, not_read};
use hullmark_ledger::InputKind;
use rayon::prelude::*;
use reader::TreeReader;
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};
use tree::Tree;
pub(super) use tree::{FoundFile, files, is_tree, root_in, size_and_stamp};
use xxhash_rust::xxh3::xxh3_128;

/// What an input is of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// The whole tree, as a store of assets.
    Whole,
    /// A first folder, in upper and lower case.
    Folder,
    /// The spool, files outside of first folders, and rows without a first folder.
    Rest,
}

pub(super) fn inputs(name: &str, root: &Path) -> io::Result<Vec<Input>> {
    let tree = Tree::list(root)?;
    let name = name.trim_end_matches('/');
    let input = |name: String, path: PathBuf, part: Part, (bytes, stamp): (u64, Option<Stamp>)| Input {
        bytes,
        stamp,
        ..Input::new(name, path, What::Place(Place::FsAssets(part)))
    };
    let rest = input(name.to_owned(), root.to_owned(), Part::Rest, rest_now(&tree));
    let firsts: Vec<(&String, &Vec<PathBuf>)> = tree.firsts.iter().collect();
    let folder = |(first, paths): (&String, &Vec<PathBuf>)| {
        input(format!("{name}/{first}"), paths[0].clone(), Part::Folder, folder_now(&tree, first, paths))
    };
    let folders: Vec<Input> = firsts.into_par_iter().map(folder).collect();
    Ok([rest].into_iter().chain(folders).collect())
}

/// Returns the root of the tree to which an input belongs.
pub fn root_of(input: &Input) -> Option<&Path> {
    match input.what {
        What::Place(Place::FsAssets(Part::Folder)) => Some(input.path.parent().unwrap_or(Path::new("."))),
        What::Place(Place::FsAssets(_)) => Some(&input.path),
        _ => None,
    }
}

/// Returns the digits with which all hashes of an input begin.
pub fn digits_of(input: &Input) -> &str {
    match input.what {
        What::Place(Place::FsAssets(Part::Folder)) => first_of(&input.path),
        _ => "",
    }
}

/// Returns the inputs as stores: the parts of a tree become one store, because only a little of a store is read.
pub fn as_stores<'a>(inputs: impl IntoIterator<Item = &'a Input>) -> Vec<Input> {
    let mut stores: Vec<Input> = Vec::new();
    for input in inputs {
        let Some(root) = root_of(input) else {
            stores.push(input.clone());
            continue;
        };
        if let Some(store) = stores.iter_mut().find(|store| store.path == root) {
            store.bytes += input.bytes;
            store.stamp = Stamp::of_all([store.stamp, input.stamp].into_iter());
            continue;
        }
        let parent = input.name.rsplit_once('/').map_or(&*input.name, |(parent, _)| parent);
        let is_rest = input.what == What::Place(Place::FsAssets(Part::Rest));
        let name = if is_rest { &input.name } else { parent }.to_owned();
        let what = What::Place(Place::FsAssets(Part::Whole));
        stores.push(Input { name, path: root.to_owned(), what, ..input.clone() });
    }
    stores
}

pub(super) fn stamp_now(part: Part, path: &Path) -> Option<Stamp> {
    let root = if part == Part::Folder { path.parent()? } else { path };
    match part {
        Part::Folder => {
            let first = first_of(path).to_ascii_uppercase();
            let tree = Tree::of_first(root, &first).ok()?;
            folder_now(&tree, &first, tree.firsts.get(&first)?).1
        }
        Part::Rest => rest_now(&Tree::list(root).ok()?).1,
        // Stores are never part of a plan.
        Part::Whole => None,
    }
}

fn folder_now(tree: &Tree, first: &str, paths: &[PathBuf]) -> (u64, Option<Stamp>) {
    size_and_stamp(paths, tree.spooled(first))
}

/// A spooled file is an asset unless its hash has a file in a first folder. So the stamp covers these files, too.
fn rest_now(tree: &Tree) -> (u64, Option<Stamp>) {
    let (bytes, stamp) = size_and_stamp(&tree.others, tree.spool.values());
    let are_stored: Vec<u8> = tree.spool.keys().map(|&hash| u8::from(tree.has_file(hash))).collect();
    (bytes, stamp.map(|stamp| stamp.with(xxh3_128(&are_stored))))
}

fn first_of(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}

pub(super) fn read(
    input: &Input,
    part: Part,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
) -> Reading {
    let mut reading = Reading::new(request.limits);
    reading.kind = Some(InputKind::Fsassets);
    reading.container.is_partial = part != Part::Whole;
    // A tree in a container has a copy.
    let copy = input.stream.as_ref().map(|stream| stream.database(&input.path, request.limits)).transpose();
    let copy = match copy {
        Ok(copy) => copy.map(|(_, path)| Input { path, ..input.clone() }),
        Err(error) => {
            reading.give_up(not_read(&error));
            return reading;
        }
    };
    let input = copy.as_ref().unwrap_or(input);
    let (root, first) = (root_of(input).unwrap_or(&input.path), first_of(&input.path).to_ascii_uppercase());
    let tree = match part {
        Part::Folder => Tree::of_first(root, &first),
        Part::Whole | Part::Rest => Tree::list(root),
    };
    match tree {
        Err(error) => reading.give_up(not_read(&error)),
        Ok(tree) => {
            let mut reader = TreeReader::new(&tree, part, request, visitor, &mut reading);
            match part {
                Part::Whole => reader.all(),
                Part::Folder => reader.folder(&first),
                Part::Rest => reader.rest(),
            }
            reader.finish();
        }
    }
    reading
}

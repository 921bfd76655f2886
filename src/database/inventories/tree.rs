//! The folders of one owner as a tree. Rows may form loops, and parents may be absent.

use super::{Folder, path_step};
use std::collections::HashMap;
use uuid::Uuid;

/// Maximum number of folders in a path. The first ones of a deeper path are left out.
const DEPTH: usize = 64;

/// The beginning of a path that does not begin at the root.
const CUT: &str = "…";

/// Where the way up from a folder ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum End {
    Root,
    /// At a folder without parent that is no root.
    Nowhere,
    /// Nowhere: the folder is part of a loop.
    InLoop,
    BelowLoop,
}

#[derive(Debug)]
pub(super) struct Tree<'a> {
    folders: &'a [Folder],
    /// Places in `folders` by UUID.
    places: HashMap<Uuid, usize>,
    ends: Vec<End>,
}

impl<'a> Tree<'a> {
    pub(super) fn new(folders: &'a [Folder]) -> Self {
        let places: HashMap<Uuid, usize> =
            folders.iter().enumerate().map(|(place, folder)| (folder.uuid, place)).collect();
        let ends = ends(folders, &places);
        Self { folders, places, ends }
    }

    pub(super) fn holds(&self, folder: Uuid) -> bool {
        self.places.contains_key(&folder)
    }

    /// Returns the end of a folder. `None` if it is absent.
    pub(super) fn end_of(&self, folder: Uuid) -> Option<End> {
        self.places.get(&folder).map(|&place| self.ends[place])
    }

    /// Returns the folders whose parent is absent and that are no root.
    pub(super) fn without_parent(&self) -> impl Iterator<Item = &'a Folder> + '_ {
        self.folders.iter().filter(|folder| !folder.is_root() && !self.holds(folder.parent))
    }

    pub(super) fn in_loops(&self) -> impl Iterator<Item = &'a Folder> + '_ {
        let folders = self.folders.iter().zip(&self.ends);
        folders.filter(|(_, end)| **end == End::InLoop).map(|(folder, _)| folder)
    }

    /// Returns the path of something in a folder, without the root.
    pub(super) fn path_of(&self, folder: Uuid, name: &str) -> String {
        let mut steps = vec![path_step(name)];
        let mut way: Vec<usize> = Vec::new();
        let mut at = self.places.get(&folder).copied();
        while let Some(place) = at.filter(|place| way.len() < DEPTH && !way.contains(place)) {
            let folder = &self.folders[place];
            if folder.is_root() {
                break;
            }
            steps.push(path_step(&folder.name));
            way.push(place);
            at = self.places.get(&folder.parent).copied();
        }
        let ends_at_root = at.is_some_and(|place| self.folders[place].is_root());
        if !ends_at_root {
            steps.push(CUT.into());
        }
        steps.reverse();
        steps.join("/")
    }
}

/// Returns the end of each folder. Each folder is visited at most twice.
fn ends(folders: &[Folder], places: &HashMap<Uuid, usize>) -> Vec<End> {
    let mut ends: Vec<Option<End>> = vec![None; folders.len()];
    // Where each folder is on the way. Folders of earlier ways have an end.
    let mut position: Vec<Option<usize>> = vec![None; folders.len()];
    for start in 0..folders.len() {
        let (mut way, mut at) = (Vec::new(), start);
        let end = loop {
            match (ends[at], position[at]) {
                (Some(End::InLoop), _) => break End::BelowLoop,
                (Some(end), _) => break end,
                (None, Some(begin)) => {
                    way.drain(begin..).for_each(|place: usize| ends[place] = Some(End::InLoop));
                    break End::BelowLoop;
                }
                (None, None) => {}
            }
            position[at] = Some(way.len());
            way.push(at);
            let folder = &folders[at];
            match places.get(&folder.parent) {
                _ if folder.is_root() => break End::Root,
                Some(&parent) => at = parent,
                None => break End::Nowhere,
            }
        };
        way.into_iter().for_each(|place| ends[place] = Some(end));
    }
    ends.into_iter().map(|end| end.unwrap_or(End::Nowhere)).collect()
}

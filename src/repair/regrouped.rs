//! Objects that somebody links or splits. They are read before the copy is written, because it has them elsewhere.

use crate::{
    mend::{self, Change, Object},
    repair::{ObjectEdit, Repairer},
};
use hullmark_finding::Code;
use hullmark_format::member::Kind;
use hullmark_ledger::facts::{ObjectFacts, Role};
use hullmark_source::{Input, Item, ReadRequest, Visitor, Wants, reread};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// What becomes of members.
#[derive(Default)]
pub(crate) struct Regrouped {
    /// Other bytes of a member, and what was changed.
    pub(crate) replaced: HashMap<String, (Vec<u8>, Change)>,
    /// New members behind a member: paths and bytes.
    pub(crate) added: HashMap<String, (String, Vec<u8>)>,
    /// Members that are in another one now.
    pub(crate) absorbed: HashMap<String, Change>,
    /// Number of objects that were linked or split.
    pub(crate) objects: u64,
}

impl Regrouped {
    /// Reads the objects of all links and splits, and makes new ones.
    pub(crate) fn new(repairer: &Repairer<'_>, input: &Input, request: &ReadRequest<'_>) -> Self {
        let mut regrouped = Self::default();
        let objects = Objects::read(repairer, input, request);
        let mut taken = HashSet::new();
        // The order of a map is not that of the archive.
        for object in repairer.ledger.objects.iter().filter(|object| object.role == Role::Rezzed) {
            let Some(root) = object.linkset.parts.first() else { continue };
            for edit in repairer.choices.edits.get(&root.uuid).into_iter().flatten() {
                let members = members(root.uuid, edit);
                if members.is_empty() {
                    continue;
                }
                let found: Option<Vec<&Found<'_>>> = members.iter().map(|uuid| objects.get(*uuid)).collect();
                let Some(found) = found.filter(|_| members.iter().all(|uuid| !taken.contains(uuid))) else {
                    continue;
                };
                if regrouped.apply(edit, &found) {
                    regrouped.objects += found.len() as u64;
                    taken.extend(members);
                }
            }
        }
        regrouped
    }

    /// Links or splits objects. Returns whether that is possible.
    fn apply(&mut self, edit: &ObjectEdit, found: &[&Found<'_>]) -> bool {
        let Some((first, others)) = found.split_first() else { return false };
        let change = |why: String| Change::new(Code::REG001, "", why);
        let objects: Vec<Object<'_>> = found.iter().map(|found| found.object()).collect();
        match edit {
            ObjectEdit::SplitOff { prims } => {
                let Some([kept, off]) = mend::split(&objects[0], prims) else { return false };
                let path = sibling(&first.facts.entry, prims[0]);
                let why = format!("the table of --apply splits prims off; they are in {path}");
                self.replaced.insert(first.facts.entry.clone(), (kept, change(why)));
                self.added.insert(first.facts.entry.clone(), (path, off));
            }
            _ => {
                let Some(linked) = mend::linked(&objects) else { return false };
                let why = "the table of --apply links other objects to it";
                self.replaced.insert(first.facts.entry.clone(), (linked, change(why.into())));
                for other in others {
                    let why = format!("the table of --apply links it to {}", first.facts.entry);
                    self.absorbed.insert(other.facts.entry.clone(), change(why));
                }
            }
        }
        true
    }
}

/// Returns the roots of the objects that an edit links or splits. Empty for other edits.
fn members(root: Uuid, edit: &ObjectEdit) -> Vec<Uuid> {
    match edit {
        ObjectEdit::Link { others } => [&[root], others.as_slice()].concat(),
        ObjectEdit::SplitOff { .. } => vec![root],
        ObjectEdit::Shape { .. } | ObjectEdit::Remove => Vec::new(),
    }
}

/// Returns the path of a new object in the folder of another one.
fn sibling(entry: &str, uuid: Uuid) -> String {
    let folder = entry.rfind('/').map_or("", |slash| &entry[..=slash]);
    format!("{folder}Split__{uuid}.xml")
}

/// An object that was read.
struct Found<'a> {
    facts: &'a ObjectFacts,
    bytes: Vec<u8>,
}

impl Found<'_> {
    fn object(&self) -> Object<'_> {
        Object { bytes: &self.bytes, parts: &self.facts.linkset.parts }
    }
}

/// The objects of all links and splits, by the UUIDs of their roots.
struct Objects<'a> {
    wanted: HashMap<&'a str, &'a ObjectFacts>,
    found: HashMap<Uuid, Found<'a>>,
    /// UUIDs that several objects have: nobody knows which one is meant.
    twice: HashSet<Uuid>,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> Objects<'a> {
    fn read(repairer: &Repairer<'a>, input: &Input, request: &ReadRequest<'_>) -> Self {
        let edits = repairer.choices.edits.iter();
        let roots: HashSet<Uuid> =
            edits.flat_map(|(root, edits)| edits.iter().flat_map(|edit| members(*root, edit))).collect();
        let rezzed = repairer.ledger.objects.iter().filter(|object| object.role == Role::Rezzed);
        let is_wanted = |object: &&ObjectFacts| {
            object.linkset.parts.first().is_some_and(|root| roots.contains(&root.uuid))
        };
        let wanted = rezzed.filter(is_wanted).map(|object| (object.entry.as_str(), object)).collect();
        let mut objects =
            Self { wanted, found: HashMap::new(), twice: HashSet::new(), is_stopped: repairer.is_stopped };
        if !objects.wanted.is_empty() {
            reread(input, request, &mut objects);
        }
        objects
    }

    fn get(&self, root: Uuid) -> Option<&Found<'a>> {
        self.found.get(&root).filter(|_| !self.twice.contains(&root))
    }
}

impl Visitor for Objects<'_> {
    fn wants(&mut self, name: &str, _kind: Kind, _bytes: u64) -> Wants {
        if self.wanted.contains_key(name) { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        (self.is_stopped)()
    }

    fn item(&mut self, Item { name, bytes, .. }: Item) {
        let Some(facts) = self.wanted.get(name.as_str()).copied() else { return };
        let Some(root) = facts.linkset.parts.first() else { return };
        if self.found.insert(root.uuid, Found { facts, bytes }).is_some() {
            self.twice.insert(root.uuid);
        }
    }
}

//! Matches the arguments of `--object` with objects and members, also while an archive is read.

use hullmark_analysis::asset_uses;
use hullmark_format::{
    member::{self, Kind},
    object::Part,
};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_rules::well_known_assets::is_well_known;
use hullmark_scan::object_selection::Choose;
use hullmark_util::{lock::lock, terminal_text::clean, text_search::PlainPart};
use std::sync::Mutex;
use uuid::Uuid;

/// How a name must match, the strictest first. A weaker match counts only if there is no stricter one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// The path or UUID of a member, or the UUID of a part in a region. Only the first match counts: loaders keep it.
    Certain,
    /// The name of an object or member, or a UUID.
    Exact,
    /// The displayed name of an object, in any case.
    AnyCase,
    /// The displayed name of a part, in any case.
    Part,
}

impl Match {
    pub(super) const ALL: [Self; 4] = [Self::Certain, Self::Exact, Self::AnyCase, Self::Part];
}

/// The argument of `--object`.
pub(super) struct ObjectName<'a> {
    name: &'a str,
    uuid: Option<Uuid>,
    how: Match,
}

impl<'a> ObjectName<'a> {
    pub(super) fn new(name: &'a str, how: Match) -> Self {
        Self { name, uuid: Uuid::try_parse(name).ok(), how }
    }

    /// Returns the strictest match for which `finds` is true. `None` without a match.
    pub(super) fn strictest(name: &'a str, finds: impl FnMut(&Self) -> bool) -> Option<Self> {
        Match::ALL.map(|how| Self::new(name, how)).into_iter().find(finds)
    }

    /// Whether only the first match counts.
    pub(super) fn is_certain(&self) -> bool {
        self.how == Match::Certain
    }

    pub(super) fn entry(&self, entry: &str) -> bool {
        let last = || entry.strip_suffix(self.name).is_some_and(|folder| folder.ends_with('/'));
        let path = || entry == self.name || self.uuid.is_some() && self.uuid == member::uuid_in(entry);
        match self.how {
            Match::Certain => path(),
            Match::Exact => path() || last(),
            Match::AnyCase | Match::Part => false,
        }
    }

    /// Whether it names the object of this member with these parts, the root first.
    pub(super) fn object<'p>(
        &self,
        entry: &str,
        mut parts: impl Iterator<Item = (Uuid, &'p str)> + Clone,
    ) -> bool {
        let has_uuid = self.uuid.is_some_and(|name| parts.clone().any(|(uuid, _)| uuid == name));
        // Displayed names are compared, because users copy them.
        let same = |name: &str| clean(name).to_lowercase() == clean(self.name).to_lowercase();
        match self.how {
            Match::Certain => self.entry(entry) || member::classify(entry).kind == Kind::Object && has_uuid,
            Match::Exact => {
                self.entry(entry)
                    || parts.clone().next().is_some_and(|(_, name)| name == self.name)
                    || has_uuid
            }
            Match::AnyCase => parts.next().is_some_and(|(_, name)| same(name)),
            Match::Part => parts.any(|(_, name)| same(name)),
        }
    }

    pub(super) fn is(&self, object: &ObjectFacts) -> bool {
        self.object(&object.entry, object.linkset.parts.iter().map(|part| (part.uuid, part.name.as_str())))
    }
}

/// The member of the first certain match in one file.
#[derive(Debug, Default)]
pub(super) struct FirstMember(Option<String>);

impl FirstMember {
    pub(super) fn counts(&mut self, name: &ObjectName<'_>, entry: &str) -> bool {
        !name.is_certain() || self.0.get_or_insert_with(|| entry.to_owned()) == entry
    }
}

/// The names of `--object`.
pub(super) struct ObjectSearch<'a>(Mutex<Vec<SearchedName<'a>>>);

struct SearchedName<'a> {
    matches: [ObjectName<'a>; 4],
    /// Text that each document with this name contains. `None` if no such text is known.
    text: Option<PlainPart>,
    /// Whether a certain match was found: others no longer count.
    certain: bool,
    found: bool,
}

impl<'a> ObjectSearch<'a> {
    pub(super) fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().map(|name| SearchedName {
            matches: Match::ALL.map(|how| ObjectName::new(name, how)),
            text: PlainPart::of(name),
            certain: false,
            found: false,
        });
        Self(Mutex::new(names.collect()))
    }

    pub(super) fn finds_any(&self) -> bool {
        lock(&self.0).iter().any(|name| name.found)
    }
}

impl SearchedName<'_> {
    fn is_path(&self, entry: &str) -> bool {
        self.matches.iter().any(|name| name.entry(entry))
    }

    fn takes(&mut self, entry: &str, objects: &[ObjectFacts]) -> bool {
        if self.certain {
            return false;
        }
        let kind = member::classify(entry).kind;
        let matched = self.matches.iter().find(|name| {
            name.entry(entry) && kind == Kind::Mesh || objects.iter().any(|object| name.is(object))
        });
        self.certain = matched.is_some_and(ObjectName::is_certain);
        self.found |= matched.is_some();
        // A document that cannot be decoded has no objects, and its defects are shown.
        matched.is_some() || self.is_path(entry)
    }
}

impl Choose for ObjectSearch<'_> {
    fn may_hold(&self, entry: &str, document: &[u8]) -> bool {
        // A name may be written with references or in sections, and further characters may be equal to plain letters.
        let plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\t' | b'\r' | b'\n');
        let other = |text: &[u8]| memchr::memmem::find(document, text).is_some();
        if lock(&self.0).iter().any(|name| name.is_path(entry))
            || !document.iter().all(plain)
            || other(b"&#")
            || other(b"<!")
        {
            return true;
        }
        let document = document.to_ascii_lowercase();
        let holds = |text: &PlainPart| text.is_in(&document);
        lock(&self.0).iter().any(|name| name.text.as_ref().is_none_or(holds))
    }

    fn takes(&self, entry: &str, objects: &[ObjectFacts]) -> bool {
        // Each name notes its match, so all are asked.
        let mut names = lock(&self.0);
        names.iter_mut().map(|name| name.takes(entry, objects)).filter(|taken| *taken).count() > 0
    }

    fn uses(&self, object: &ObjectFacts) -> Vec<Uuid> {
        // Viewers and grids have well-known assets, but costs need the form in the archive.
        let forms = |part: &Part| [part.mesh(), part.possible_sculpt_map()];
        let forms = object.linkset.parts.iter().flat_map(forms).flatten();
        let others = asset_uses::of_object(object).filter(|&asset| !is_well_known(asset));
        forms.chain(others).filter(|asset| !asset.is_nil()).collect()
    }

    fn is_done(&self) -> bool {
        lock(&self.0).iter().all(|name| name.certain)
    }
}

//! Matches the argument of `--object` with objects and members.

use hullmark_format::member::{self, Kind};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_util::terminal_text::clean;
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
pub(super) struct Wanted<'a> {
    name: &'a str,
    uuid: Option<Uuid>,
    how: Match,
}

impl<'a> Wanted<'a> {
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
        let has_uuid = self.uuid.is_some_and(|wanted| parts.clone().any(|(uuid, _)| uuid == wanted));
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
pub(super) struct First(Option<String>);

impl First {
    pub(super) fn counts(&mut self, wanted: &Wanted<'_>, entry: &str) -> bool {
        !wanted.is_certain() || self.0.get_or_insert_with(|| entry.to_owned()) == entry
    }
}

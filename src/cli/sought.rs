//! Looks for the objects of `--object` while an archive is read.

use super::wanted::{Match, Wanted};
use hullmark_analysis::asset_uses;
use hullmark_format::{member, object::Part};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_rules::well_known_assets::is_well_known;
use hullmark_scan::object_selection::Choose;
use hullmark_source::Kind;
use hullmark_util::{lock::lock, text_search::PlainPart};
use std::sync::Mutex;
use uuid::Uuid;

/// The names of `--object`.
pub(super) struct Sought<'a>(Mutex<Vec<Name<'a>>>);

/// One name, and what was found.
struct Name<'a> {
    matches: [Wanted<'a>; 4],
    /// Text that each document with this name contains. `None` if no such text is known.
    text: Option<PlainPart>,
    /// Whether a certain match was found: others no longer count.
    certain: bool,
    /// Whether anything was found.
    found: bool,
}

impl<'a> Sought<'a> {
    pub(super) fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        let names = names.into_iter().map(|name| Name {
            matches: Match::ALL.map(|how| Wanted::new(name, how)),
            text: PlainPart::of(name),
            certain: false,
            found: false,
        });
        Self(Mutex::new(names.collect()))
    }

    /// Whether any name was found.
    pub(super) fn finds_any(&self) -> bool {
        lock(&self.0).iter().any(|name| name.found)
    }
}

impl Name<'_> {
    /// Whether it is the path or UUID of a member.
    fn is_path(&self, entry: &str) -> bool {
        self.matches.iter().any(|wanted| wanted.entry(entry))
    }

    fn takes(&mut self, entry: &str, objects: &[ObjectFacts]) -> bool {
        if self.certain {
            return false;
        }
        let kind = member::classify(entry).kind;
        let matched = self.matches.iter().find(|wanted| {
            wanted.entry(entry) && kind == Kind::Mesh || objects.iter().any(|object| wanted.is(object))
        });
        self.certain = matched.is_some_and(Wanted::is_certain);
        self.found |= matched.is_some();
        // A document that cannot be decoded has no objects, and its defects are shown.
        matched.is_some() || self.is_path(entry)
    }
}

impl Choose for Sought<'_> {
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

//! The content of a letter in one language, without layout.

use super::{
    Kind, Listed, Owned, Totals,
    actions::TopAction,
    problems::PROBLEMS,
    words::{Cure, Key, Words},
};
use fluent_bundle::FluentValue;
use hullmark_finding::Severity;
use hullmark_ledger::identity::file_name;
use hullmark_report::place_link::place_link;
use hullmark_settings::letters::{GridConfig, Language, LettersConfig};
use hullmark_util::{
    number_text::plain,
    terminal_text::{clean, cut},
};
use std::{cmp::Reverse, fmt::Write};

/// Maximum number of lines of a problem.
const LINES: usize = 5;

/// Maximum number of cures, so that a letter is about one page.
const CURES: usize = 6;

/// Maximum number of positions in a line.
const POSITIONS: usize = 3;

/// Characters of a name.
const NAME: usize = 80;

/// Settings and facts that all letters of a run share.
pub(super) struct Frame<'a> {
    pub(super) grid: &'a GridConfig,
    pub(super) letters: &'a LettersConfig,
    /// Name of the target for people.
    pub(super) target: &'a str,
    pub(super) now: Option<&'a str>,
    /// Whether every export was read to its end.
    pub(super) complete: bool,
    /// Whether land has room for prims, not for land impact.
    pub(super) counts_prims: bool,
}

/// A letter.
pub(super) struct Letter<'a> {
    pub(super) frame: &'a Frame<'a>,
    pub(super) language: Language,
    pub(super) name: Option<String>,
    pub(super) title: String,
    pub(super) address: String,
    pub(super) opening: Vec<String>,
    pub(super) help_most: String,
    pub(super) actions: Vec<String>,
    pub(super) broken: String,
    pub(super) how_to: String,
    pub(super) cures: Vec<CureBlock>,
    /// Number of further cures, in words.
    pub(super) more_cures: Option<String>,
    pub(super) closing: Vec<String>,
}

/// A cure with the problems that it solves.
pub(super) struct CureBlock {
    pub(super) title: String,
    pub(super) severity: Severity,
    /// Its severity in words.
    pub(super) urgency: String,
    pub(super) steps: Vec<String>,
    pub(super) problems: Vec<ProblemBlock>,
}

/// A problem with its objects.
pub(super) struct ProblemBlock {
    pub(super) sentence: String,
    pub(super) lines: Vec<Line>,
    /// Number of further objects, in words.
    pub(super) more: Option<String>,
}

/// Objects of one name in one region.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) place: String,
    /// Link to the first position.
    pub(super) link: Option<String>,
    pub(super) amount: Option<String>,
}

/// Problems of an owner: index of the problem, severity and number of objects, the objects with the most severe first.
pub(super) struct Found {
    pub(super) problem: usize,
    pub(super) worst: Severity,
    pub(super) objects: u64,
    pub(super) listed: Vec<Listed>,
}

impl<'a> Letter<'a> {
    pub(super) fn new(
        frame: &'a Frame<'a>,
        language: Language,
        words: &Words,
        name: Option<&str>,
        totals: &Totals,
        actions: &[TopAction],
        found: Vec<Found>,
    ) -> Self {
        let grid = shown(&frame.grid.name);
        let name = name.map(shown);
        let mut cures = cures(frame, words, found);
        let actions = if has_room(frame, totals) { &[] } else { actions };
        let more = cures.len().saturating_sub(CURES) as u64;
        cures.truncate(CURES);
        Self {
            frame,
            language,
            title: match grid.as_str() {
                "" => words.say(Key::Title, &[]),
                grid => words.say(Key::TitleGrid, &[("grid", grid.into())]),
            },
            address: match &name {
                Some(name) => words.say(Key::Address, &[("name", name.as_str().into())]),
                None => words.say(Key::AddressUnknown, &[]),
            },
            name,
            opening: opening(frame, words, totals),
            help_most: words.say(Key::HelpMost, &[]),
            actions: actions.iter().map(|action| action_words(words, action)).collect(),
            broken: words.say(Key::Broken, &[]),
            how_to: words.say(Key::HowTo, &[]),
            cures,
            more_cures: (more > 0).then(|| words.say(Key::MoreCures, &[("count", more.into())])),
            closing: closing(frame, words),
        }
    }
}

/// The objects of an owner after a move.
pub(super) struct Moved {
    /// Number of objects before the move, and of those that arrived.
    pub(super) objects: u64,
    pub(super) arrived: u64,
    pub(super) problems: Vec<(Cure, Key, Found)>,
}

impl<'a> Letter<'a> {
    /// Creates a letter about what did not arrive.
    pub(super) fn after_a_move(
        frame: &'a Frame<'a>,
        language: Language,
        words: &Words,
        name: Option<&str>,
        moved: Moved,
    ) -> Self {
        let block = |(cure, key, found): (Cure, Key, Found)| CureBlock {
            problems: vec![problem_block(frame, words, key, &found)],
            ..cure_block(words, cure, found.worst)
        };
        let values = [("arrived", moved.arrived.into()), ("objects", moved.objects.into())];
        // An owner of land alone has no objects.
        let counts = (moved.objects > 0).then(|| words.say(Key::MovedCounts, &values));
        let incomplete = (!frame.complete).then(|| words.say(Key::Incomplete, &[]));
        let counts: Vec<String> = counts.into_iter().chain(incomplete).collect();
        let opening = [words.say(Key::MovedIntro, &[("target", frame.target.into())]), counts.join(" ")];
        Self {
            title: words.say(Key::MovedTitle, &[]),
            opening: opening.into_iter().filter(|sentences| !sentences.is_empty()).collect(),
            cures: moved.problems.into_iter().map(block).collect(),
            closing: until_when(frame, words).into_iter().chain([whom_to_ask(frame, words)]).collect(),
            ..Self::new(frame, language, words, name, &Totals::default(), &[], Vec::new())
        }
    }
}

/// Whether the owner's land has room, so that savings gain nothing.
fn has_room(frame: &Frame<'_>, totals: &Totals) -> bool {
    totals.land.filter(|land| land.capacity > 0.0).is_some_and(|Owned { land_impact, prims, capacity }| {
        let used = if frame.counts_prims { prims } else { land_impact };
        100.0 * used / capacity < f64::from(frame.letters.savings_from_percent)
    })
}

/// Returns the possessions of the owner, their costs, and how much needs attention.
fn opening(frame: &Frame<'_>, words: &Words, totals: &Totals) -> Vec<String> {
    let Totals { rezzed, prims, land_impact, at_least, elsewhere, land, listed, .. } = totals;
    let mut sentences = vec![words.say(Key::Intro, &[("target", frame.target.into())])];
    let mut owned = Vec::new();
    if *rezzed > 0 {
        owned.push(words.say(
            Key::Have,
            &[
                ("objects", (*rezzed).into()),
                ("prims", (*prims).into()),
                ("impact", land_impact.round().into()),
                ("bound", if *at_least { "lower" } else { "exact" }.into()),
            ],
        ));
    }
    if *elsewhere > 0 {
        owned.push(words.say(Key::Elsewhere, &[("objects", (*elsewhere).into())]));
    }
    if let Some(Owned { land_impact, prims, capacity }) = land.filter(|land| land.capacity > 0.0) {
        let (key, used) = match frame.counts_prims {
            true => (Key::LandPrimsUsed, prims),
            false => (Key::LandImpactUsed, land_impact.round()),
        };
        owned.push(words.say(key, &[("used", used.into()), ("capacity", capacity.floor().into())]));
    }
    if !owned.is_empty() {
        sentences.push(owned.join(" "));
    }
    let mut attention = words.say(Key::Attention, &[("things", (*listed).into())]);
    if !frame.complete {
        let _ = write!(attention, " {}", words.say(Key::Incomplete, &[]));
    }
    sentences.push(attention);
    sentences
}

/// Returns whom to ask, and until when to act.
fn closing(frame: &Frame<'_>, words: &Words) -> Vec<String> {
    let unchanged = words.say(Key::Unchanged, &[]);
    let ask = format!("{unchanged} {}", whom_to_ask(frame, words));
    until_when(frame, words).into_iter().chain([ask]).collect()
}

fn whom_to_ask(frame: &Frame<'_>, words: &Words) -> String {
    let contact = shown(&frame.grid.contact);
    match contact.as_str() {
        "" => words.say(Key::AskOperator, &[]),
        contact => words.say(Key::Ask, &[("contact", contact.into())]),
    }
}

/// Returns the deadline. `None` without one.
fn until_when(frame: &Frame<'_>, words: &Words) -> Option<String> {
    let deadline = shown(&frame.letters.deadline);
    Some(deadline)
        .filter(|deadline| !deadline.is_empty())
        .map(|date| words.say(Key::Deadline, &[("date", date.into())]))
}

fn action_words(words: &Words, action: &TopAction) -> String {
    let mut edit = words.say(action.key, &[("edits", action.edits.into())]);
    if !action.links.is_empty() {
        // Several prims are listed as `2, 4–8`.
        let count = if action.links.contains([',', '–']) { 2 } else { 1 };
        let links =
            words.say(Key::ActionLinks, &[("count", count.into()), ("links", action.links.clone().into())]);
        let _ = write!(edit, ", {links}");
    }
    let is_one = action.objects <= 1;
    if !is_one {
        let _ = write!(edit, ", {}", words.say(Key::ActionObjects, &[("count", action.objects.into())]));
    }
    let region: FluentValue<'_> = quoted(words, &action.region).into();
    let mut place = match action.position_m {
        _ if action.region.is_empty() => in_file(words, &action.archive),
        Some(at) => {
            let at = at.map(rounded).join(", ");
            words.say(Key::Place, &[("region", region), ("positions", at.into())])
        }
        None => words.say(Key::InRegion, &[("region", region)]),
    };
    if !is_one {
        let more = [("place", place.into()), ("more", (action.objects - 1).into())];
        place = words.say(Key::ActionMorePlaces, &more);
    }
    let mut sentences = words.say(
        Key::Action,
        &[
            ("words", edit.into()),
            ("name", quoted(words, &action.name).into()),
            ("place", place.into()),
            ("before", action.land_impact_before.round().into()),
            ("after", action.land_impact_after.round().into()),
        ],
    );
    if action.key == Key::ActionConvexHull {
        let _ = write!(sentences, " {}", words.say(Key::ActionClosesOpenings, &[]));
    }
    sentences
}

/// Groups problems by cure. The most severe come first, of these land without room, then those of most objects.
fn cures(frame: &Frame<'_>, words: &Words, mut found: Vec<Found>) -> Vec<CureBlock> {
    found.sort_by_key(|found| {
        let land = matches!(PROBLEMS[found.problem].cure, Cure::LandRoom | Cure::FewerPrims);
        (Reverse((found.worst, land, found.objects)), found.problem)
    });
    let mut cures: Vec<(Cure, CureBlock)> = Vec::new();
    for found in found {
        let problem = &PROBLEMS[found.problem];
        let known = cures.iter().position(|(cure, _)| *cure == problem.cure);
        let index = known.unwrap_or_else(|| {
            cures.push((problem.cure, cure_block(words, problem.cure, found.worst)));
            cures.len() - 1
        });
        cures[index].1.problems.push(problem_block(frame, words, problem.key, &found));
    }
    cures.into_iter().map(|(_, block)| block).collect()
}

fn cure_block(words: &Words, cure: Cure, severity: Severity) -> CureBlock {
    let urgency = match severity {
        Severity::Blocker => Key::Urgent,
        Severity::Error => Key::Important,
        Severity::Warning | Severity::Info => Key::Recommended,
    };
    CureBlock {
        title: words.cure_title(cure),
        severity,
        urgency: words.say(urgency, &[]),
        steps: words.cure_steps(cure),
        problems: Vec::new(),
    }
}

fn problem_block(frame: &Frame<'_>, words: &Words, key: Key, found: &Found) -> ProblemBlock {
    // Objects of one name in one place and of one amount are one line.
    let mut groups: Vec<Vec<&Listed>> = Vec::new();
    for listed in &found.listed {
        match groups.iter_mut().find(|group| group[0].is_like(listed)) {
            Some(group) => group.push(listed),
            None => groups.push(vec![listed]),
        }
    }
    groups.truncate(LINES);
    let shown: usize = groups.iter().map(Vec::len).sum();
    let more = found.objects.saturating_sub(shown as u64);
    ProblemBlock {
        sentence: words.say(key, &[]),
        lines: groups.iter().map(|group| line(frame, words, key, group)).collect(),
        more: (more > 0).then(|| words.say(Key::MoreObjects, &[("count", more.into())])),
    }
}

fn line(frame: &Frame<'_>, words: &Words, key: Key, group: &[&Listed]) -> Line {
    let first = group[0];
    let name = object_name(words, first);
    Line {
        name: match group.len() {
            1 => name,
            count => words.say(Key::Times, &[("count", (count as u64).into()), ("name", name.into())]),
        },
        place: place(words, group),
        link: link(frame.grid, first),
        amount: amount(words, key, first),
    }
}

/// Returns measured value and limit, if the problem states them and both are known.
fn amount(words: &Words, key: Key, listed: &Listed) -> Option<String> {
    let measured = listed.measured?;
    let limit = listed.limit.unwrap_or(0.0);
    let percent = if limit > 0.0 { (100.0 * measured / limit).round() } else { 0.0 };
    let values = [("measured", measured.into()), ("limit", limit.into()), ("percent", percent.into())];
    let amount = words.amount(key, &values)?;
    let names = shown(&listed.names);
    Some(if names.is_empty() { amount } else { format!("{amount} ({names})") })
}

fn object_name(words: &Words, listed: &Listed) -> String {
    let (named, unnamed) = match listed.kind {
        Kind::Object => (None, Key::Unnamed),
        Kind::Parcel => (Some(Key::Parcel), Key::ParcelUnnamed),
        Kind::Region => (Some(Key::Region), Key::Region),
        Kind::Inventory => return words.say(Key::Inventory, &[]),
    };
    if listed.name.is_empty() && unnamed != Key::Region {
        return words.say(unnamed, &[]);
    }
    let name = quoted(words, &listed.name);
    named.map_or(name.clone(), |key| words.say(key, &[("name", name.into())]))
}

/// Returns the region with the first positions, or the file.
fn place(words: &Words, group: &[&Listed]) -> String {
    let first = group[0];
    match (first.role.as_str(), first.region.as_str()) {
        _ if first.kind == Kind::Region => String::new(),
        _ if first.kind == Kind::Inventory && !first.item.is_empty() => quoted(words, &first.item),
        ("nested", _) if first.item.is_empty() => words.say(Key::InInventory, &[]),
        ("nested", _) => words.say(Key::InInventoryAt, &[("path", quoted(words, &first.item).into())]),
        ("loose", _) | (_, "") => in_file(words, &first.archive),
        (_, region) => {
            let region: FluentValue<'_> = quoted(words, region).into();
            let at = positions(words, group);
            match at.as_str() {
                "" => words.say(Key::InRegion, &[("region", region)]),
                at => words.say(Key::Place, &[("region", region), ("positions", at.into())]),
            }
        }
    }
}

/// Returns the file of an object. The folder is private to the operator.
fn in_file(words: &Words, archive: &str) -> String {
    words.say(Key::InFile, &[("file", quoted(words, file_name(archive)).into())])
}

/// Returns the first positions, and the number of others.
fn positions(words: &Words, group: &[&Listed]) -> String {
    let all: Vec<String> =
        group.iter().filter_map(|listed| listed.position_m).map(|at| at.map(rounded).join(", ")).collect();
    let mut text = all.iter().take(POSITIONS).map(String::as_str).collect::<Vec<_>>().join("; ");
    let more = all.len().saturating_sub(POSITIONS) as u64;
    if more > 0 {
        let _ = write!(text, " {}", words.say(Key::MorePlaces, &[("count", more.into())]));
    }
    text
}

/// Returns a link that viewers open, on the grid with this address, else on the grid of the session.
fn link(grid: &GridConfig, listed: &Listed) -> Option<String> {
    let at = listed.position_m.filter(|_| !listed.region.is_empty())?;
    Some(place_link(&grid.address, &listed.region, at))
}

fn rounded(metres: f64) -> String {
    plain(metres.round())
}

/// Returns the name of an export in quotation marks.
fn quoted(words: &Words, name: &str) -> String {
    words.say(Key::Quoted, &[("name", shown(name).into())])
}

/// Returns text of an export or of the settings, cleaned and cut.
fn shown(words: &str) -> String {
    cut(&clean(words), NAME)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{template::Slot, text},
        *,
    };

    #[test]
    fn savings_are_for_land_that_is_nearly_full() {
        let (grid, letters) = (GridConfig::default(), LettersConfig::default());
        let is_roomy = |used: f64, capacity: f64, counts_prims: bool| {
            let frame =
                Frame { grid: &grid, letters: &letters, target: "", now: None, complete: true, counts_prims };
            let (land_impact, prims) = if counts_prims { (0.0, used) } else { (used, 0.0) };
            let land = Some(Owned { land_impact, prims, capacity });
            has_room(&frame, &Totals { land, ..Totals::default() })
        };
        assert_eq!([79.0, 80.0, 120.0].map(|used| is_roomy(used, 100.0, false)), [true, false, false]);
        assert_eq!([79.0, 80.0].map(|used| is_roomy(used, 100.0, true)), [true, false]);
        assert!(!is_roomy(0.0, 0.0, true), "unknown");
    }

    #[test]
    fn the_actions_that_help_most_have_a_section() {
        let keys = [
            Key::ActionConvexHull,
            Key::ActionShapeNone,
            Key::ActionCoarserLevels,
            Key::ActionRemoveCopy,
            Key::ActionLink,
        ];
        let action = |key, edits| TopAction {
            key,
            objects: edits,
            name: "Bench".into(),
            region: "Hill".into(),
            archive: "hill.oar".into(),
            position_m: Some([164.2, 124.0, 21.9]),
            links: "2, 4–8".into(),
            edits,
            land_impact_before: 29_592.0,
            land_impact_after: 14.2,
        };
        let actions: Vec<TopAction> =
            keys.into_iter().zip(1..).map(|(key, edits)| action(key, edits)).collect();
        let (grid, letters) = (GridConfig::default(), LettersConfig::default());
        let frame = Frame {
            grid: &grid,
            letters: &letters,
            target: "Second Life",
            now: None,
            complete: true,
            counts_prims: false,
        };
        let section = |language, actions: &[TopAction]| {
            let words = Words::new(language);
            let letter = Letter::new(&frame, language, &words, None, &Totals::default(), actions, Vec::new());
            text::value(&letter, Slot::Actions)
        };
        assert_eq!(section(Language::En, &[]), "");
        let english = section(Language::En, &actions);
        let first = "What helps most\n---------------\n\
                     1. Set 1 prim to Convex Hull, link numbers 2, 4–8 (“Bench”, region “Hill” at\n   \
                     164, 124, 22). Land impact falls from 29,592 to 14. Openings in it are\n   \
                     then closed to avatars: if people walk through it, ask its creator for a\n   \
                     physics shape of boxes instead.\n";
        assert!(english.starts_with(first), "{english}");
        assert!(
            english.contains("3. Upload 3 meshes again with simpler lower levels of detail"),
            "{english}"
        );
        let flat = english.split_whitespace().collect::<Vec<_>>().join(" ");
        let several =
            "link numbers 2, 4–8, in 3 objects (“Bench”, region “Hill” at 164, 124, 22 and at 2 more places)";
        assert!(flat.contains(several), "{english}");
        assert!(english.contains("4. Delete 4 copies of this object"), "{english}");
        assert!(english.contains("5. Link 5 objects into one"), "{english}");
        let german = section(Language::De, &actions);
        assert!(
            german.contains("2. 2 Prims auf die physische Form „Keine“ stellen, Link-Nummern 2, 4–8"),
            "{german}"
        );
    }
}

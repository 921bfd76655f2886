//! The view as text, as wide as the terminal.

use super::{
    rules::Measures,
    select::Object,
    view::{LinkView, PieceView, SplitView},
};
use crate::cli::{
    progress::Verbosity,
    terminal::{Align, columns, folded, width, words},
};
use hullmark_ledger::facts::Status;
use hullmark_util::{
    number_text::ranges,
    terminal_text::{clean, counted, cut, wrap},
};
use std::fmt::Write as _;
use uuid::Uuid;

/// Maximum number of listed objects and pieces, unless all are requested.
const ROWS: usize = 20;
/// Maximum length of a name.
const NAME: usize = 40;

/// Formats the whole view.
pub(super) fn text(view: &LinkView, verbosity: Verbosity) -> String {
    let all = verbosity == Verbosity::Verbose;
    let mut text = objects(&view.objects, all);
    let _ = writeln!(text, "\n{}", headline(view));
    for sentence in view.reasons.iter().chain(&view.remarks) {
        text += &wrap(sentence, "- ", "  ", width());
    }
    if let Some(split) = &view.split {
        text.push('\n');
        text += &plan(split, all);
    }
    if view.no_plan {
        text +=
            "\nNo split is possible: a prim fails the rule alone, or its position or size is not a number.\n";
    }
    if let Measures::Havok4 { pieces, .. } = &view.measures
        && pieces.len() > 1
    {
        text += "\nPieces that the rule links, in this order of the prims:\n";
        text += &listed(pieces, all);
    }
    if view.status != Status::Complete {
        text += "\nA file was NOT READ TO ITS END: there may be more objects.\n";
    }
    if view.rule == "current" {
        let _ = writeln!(text, "\nEvaluated for {}: {}", view.profile, view.profile_description);
    } else {
        text += "\nThis rule is the same for every grid: profiles and limits do not change it.\n";
    }
    text
}

fn headline(view: &LinkView) -> String {
    let prims = counted(view.prims as u64, "prim");
    let what = match view.objects.len() {
        1 => format!("{prims} of 1 object"),
        count => format!("{prims} of {}", counted(count as u64, "object")),
    };
    let rule = match view.rule {
        "current" => "the rule of 2010",
        "havok4" => "the Havok4 rule",
        _ => "the Havok1 box",
    };
    let verdict = match view.linkable {
        Some(true) => "LINKABLE".to_owned(),
        Some(false) => "NOT LINKABLE".to_owned(),
        None => words(view.verdict).to_uppercase(),
    };
    format!("{what}, by {rule}: {verdict}")
}

fn objects(objects: &[Object], all: bool) -> String {
    use Align::{Left, Right};
    let shown = if all { objects.len() } else { objects.len().min(ROWS) };
    let rows = objects[..shown].iter().enumerate().map(|(number, object)| {
        vec![
            if number == 0 { "root" } else { "and" }.to_owned(),
            cut(&clean(&object.name), NAME),
            counted(object.prims as u64, "prim"),
            object.object_uuid.to_string(),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    columns(&[Left, Left, Right, Left], &rows) + &folded(objects.len() - shown, "  ")
}

fn plan(split: &SplitView, all: bool) -> String {
    let count = split.linksets.len() as u64;
    let proof = if split.fewest {
        "the fewest possible".to_owned()
    } else {
        format!("at least {} are needed, and fewer than {count} may be possible", split.at_least)
    };
    let root = if split.root_largest {
        "the root's linkset is as large as possible".to_owned()
    } else {
        format!("the root's linkset can have at most {}", counted(split.root_at_most as u64, "prim"))
    };
    let head = format!("Split into {}, {proof}; {root}:", counted(count, "linkset"));
    wrap(&head, "", "", width()) + &listed(&split.linksets, all)
}

fn listed(pieces: &[PieceView], all: bool) -> String {
    let shown = if all { pieces.len() } else { pieces.len().min(ROWS) };
    let mut text = String::new();
    for (number, piece) in pieces[..shown].iter().enumerate() {
        let first = format!("{:>3}. ", number + 1);
        text += &wrap(&piece_words(piece, all), &first, "     ", width());
    }
    text + &folded(pieces.len() - shown, "  ")
}

/// Formats a piece: `34 prims, 53.100 m: "House" link 1–33, 40; "Lamp" link 0`.
fn piece_words(piece: &PieceView, all: bool) -> String {
    let mut objects: Vec<(Uuid, String, Vec<i32>)> = Vec::new();
    for prim in &piece.prims {
        match objects.last_mut() {
            Some((object, _, links)) if *object == prim.object_uuid => links.push(prim.link_number),
            _ => objects.push((prim.object_uuid, prim.object.clone(), vec![prim.link_number])),
        }
    }
    // Many objects have the same name, so a few digits of the UUID distinguish them.
    let named = |(uuid, name, links): &(Uuid, String, Vec<i32>)| {
        let digits = &uuid.to_string()[..8];
        format!("\"{}\" ({digits}) link {}", cut(&clean(name), NAME), ranges(links))
    };
    let shown = if all { objects.len() } else { objects.len().min(ROWS) };
    let mut members: Vec<String> = objects[..shown].iter().map(named).collect();
    if shown < objects.len() {
        members.push(format!("and {} more objects (-v lists them)", objects.len() - shown));
    }
    let count = counted(piece.count as u64, "prim");
    format!("{count}, {:.3} m: {}", piece.size_m, members.join("; "))
}

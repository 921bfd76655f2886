//! What changed since an earlier run: first what got worse, then what got better.

use super::{first_screen::with_code, map::region_name};
use hullmark_finding::Severity;
use hullmark_report::{
    Summary,
    diff::{Change, ChangeKind, ChangesSummary, First},
};
use hullmark_rules::catalogue;
use hullmark_util::{
    escape::{html as escape, percent_encoded, shortened},
    number_text::{counted, grouped, signed, thousands},
};
use std::io::{self, Write};

/// Maximum length of the message of a finding.
const MESSAGE: usize = 220;

/// Writes both runs, the notes and the changes as sentences.
pub(super) fn write_sentences(out: &mut dyn Write, changes: &ChangesSummary) -> io::Result<()> {
    writeln!(out, "<p>{}</p>", escape(&changes.title()))?;
    for note in &changes.notes {
        writeln!(out, "<p class=\"warning\">{}</p>", escape(note))?;
    }
    let mut sentences = changes.sentences().into_iter();
    if let Some(first) = sentences.next() {
        let worst = changes.counts.worst().unwrap_or(Severity::Info);
        writeln!(out, "<p class=\"verdict {worst}\">{}</p>", escape(&first))?;
    }
    let lines: String = sentences.map(|line| format!("<li>{}</li>\n", escape(&line))).collect();
    match lines.as_str() {
        "" => Ok(()),
        lines => writeln!(out, "<ul class=\"changes\">\n{lines}</ul>"),
    }
}

/// Writes the first changes of each kind. The table has all.
pub(super) fn write_lists(
    out: &mut dyn Write,
    summary: &Summary,
    changes: &ChangesSummary,
) -> io::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let counts = &changes.counts;
    writeln!(out, "<section id=\"worse\">")?;
    write_impacts(out, "Heavier", "increased", &changes.heavier, counts.heavier.all())?;
    let of = |kind| changes.worst.iter().filter(move |first| first.first.became == kind);
    write_cards(out, summary, "New findings", of(ChangeKind::New))?;
    write_cards(out, summary, "Worse findings", of(ChangeKind::Worse))?;
    write_numbers(out, "Archives", &changes.archives, counts.of_archives)?;
    let lost = counts.lost.regions + counts.lost.objects;
    write_impacts(out, "Lost", "lost", &changes.lost, lost)?;
    writeln!(out, "</section>\n<section id=\"better\">")?;
    write_impacts(out, "Lighter", "decreased", &changes.lighter, counts.lighter.all())?;
    write_resolved(out, &changes.resolved)?;
    let others = counts.other_regions();
    write_numbers(out, "Other numbers of regions", &changes.regions, others)?;
    writeln!(out, "</section>")
}

/// Writes regions and objects with another land impact.
fn write_impacts(
    out: &mut dyn Write,
    title: &str,
    change: &str,
    rows: &[Change],
    all: u64,
) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>{title}, by land impact</h2>\n<ol class=\"deltas\">")?;
    for row in rows {
        let (name, place) = match row.object_uuid {
            Some(uuid) => {
                let name = if row.name.is_empty() { "Object without a name" } else { &row.name };
                let place = region_name(&row.archive, &row.region);
                (
                    format!("<a href=\"#changes?object_uuid={uuid}\">{}</a>", escape(name)),
                    format!("in {place}"),
                )
            }
            None => (escape(region_name(&row.archive, &row.region)), "region".into()),
        };
        writeln!(
            out,
            "<li><b>{name}</b> <span class=\"impact\">{}</span> <span>{}</span> <span class=\"soft\">{}</span></li>",
            signed(row.difference().unwrap_or_default()),
            row.land_impacts(),
            escape(&place),
        )?;
    }
    writeln!(out, "</ol>")?;
    let link = format!("#changes?measure=land_impact&amp;change={change}");
    write_more(out, rows.len(), all, &link)
}

/// Writes a link to the other rows, if there are any.
fn write_more(out: &mut dyn Write, shown: usize, all: u64, link: &str) -> io::Result<()> {
    match all.saturating_sub(shown as u64) {
        0 => Ok(()),
        more => writeln!(out, "<p><a href=\"{link}\">{}</a></p>", counted(more, "more change")),
    }
}

/// Writes a card for each rule, the most severe first. Information is folded.
fn write_cards<'c>(
    out: &mut dyn Write,
    summary: &Summary,
    title: &str,
    firsts: impl Iterator<Item = &'c First>,
) -> io::Result<()> {
    let card = |first: &First| card(summary, first);
    let is_info = |first: &&First| first.first.severity == Some(Severity::Info);
    let (info, others): (Vec<&First>, Vec<&First>) = firsts.partition(is_info);
    if info.is_empty() && others.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>{title}</h2>")?;
    if !others.is_empty() {
        let cards: String = others.into_iter().map(card).collect();
        writeln!(out, "<ul class=\"cards\">\n{cards}</ul>")?;
    }
    if !info.is_empty() {
        let count = counted(info.len() as u64, "rule");
        let cards: String = info.into_iter().map(card).collect();
        writeln!(
            out,
            "<details><summary><span class=\"severity info\">info</span> {count}</summary>\n<ul class=\"cards\">\n{cards}</ul></details>"
        )?;
    }
    Ok(())
}

fn card(summary: &Summary, First { count, first: row }: &First) -> String {
    let (Some(code), Some(severity)) = (row.code, row.severity) else { return String::new() };
    let rule = catalogue::rule(code);
    let before = row.severity_before.map_or(String::new(), |before| format!(", {before} before"));
    let all = if *count == 1 { "Show it".into() } else { format!("Show all {}", thousands(*count)) };
    format!(
        "<li class=\"card {severity}\"><h3><span class=\"severity {severity}\">{severity}</span> {} <small>{code}{before}\
         </small></h3>\n<p>{}</p>\n<p class=\"cure\">{}</p>\n<p><a href=\"#changes?code={code}&amp;change={}&amp;severity={severity}\">{all}</a></p></li>\n",
        escape(rule.title),
        example(row),
        with_code(catalogue::advice_of(code, summary.profile_of_rules())),
        row.became.name(),
    )
}

/// Returns the subject and message of a finding, with its number before.
fn example(row: &Change) -> String {
    let subject = if row.name.is_empty() { &row.archive } else { &row.name };
    let before = row.before.filter(|_| row.after.is_some());
    let before = before.map_or(String::new(), |before| format!(" ({} before)", grouped(before)));
    let (subject, message) = (region_name(subject, ""), shortened(&row.message, MESSAGE));
    format!("{}: {}{before}", escape(subject), escape(&message))
}

/// Writes findings that are gone or better.
fn write_resolved(out: &mut dyn Write, firsts: &[First]) -> io::Result<()> {
    if firsts.is_empty() {
        return Ok(());
    }
    writeln!(out, "<h2>Resolved findings</h2>\n<ul class=\"deltas\">")?;
    for First { count, first: row } in firsts {
        let (Some(code), Some(severity)) = (row.code, row.severity) else { continue };
        writeln!(
            out,
            "<li><span class=\"severity {severity}\">{severity}</span> <a href=\"#changes?code={code}&amp;change={}\">{} {}</a>: \
             <b>{}</b> <span class=\"soft\">{code}</span><p class=\"soft\">{}</p></li>",
            row.became.name(),
            thousands(*count),
            row.became.name(),
            escape(catalogue::rule(code).title),
            example(row),
        )?;
    }
    writeln!(out, "</ul>")
}

/// Writes changed numbers of archives or regions.
fn write_numbers(out: &mut dyn Write, title: &str, rows: &[Change], all: u64) -> io::Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    writeln!(out, "<h2>{title}</h2>\n<ul class=\"deltas\">")?;
    for row in rows {
        writeln!(
            out,
            "<li><b>{}</b> <span>{}</span></li>",
            escape(region_name(&row.archive, &row.region)),
            escape(&row.in_words())
        )?;
    }
    writeln!(out, "</ul>")?;
    let kind = percent_encoded(first.what.name(), b"");
    write_more(out, rows.len(), all, &format!("#changes?kind={kind}"))
}

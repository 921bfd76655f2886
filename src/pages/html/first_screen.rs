//! The first screen: what the report is about, what to fix first, and the findings by rule.

use super::{
    map::region_name,
    top_rows::{Kept, number},
};
use hullmark_analysis::cost::Basis;
use hullmark_finding::Severity;
use hullmark_report::{
    Summary,
    counts::SeverityCounts,
    preflight::Verdict,
    screen::{Line, Part, Topic, whole},
    summary::{ActionLine, FindingLine},
    table::Cell,
    tables::regions::key as region,
};
use hullmark_rules::catalogue;
use hullmark_util::{
    escape::{html as escape, percent_encoded, shortened},
    number_text::{counted, thousands},
};
use std::io::{self, Write};

/// Maximum number of regions with a bar.
const REGIONS: usize = 5;
/// Maximum length of the message on a card.
const MESSAGE: usize = 220;
/// Width and height of a bar.
const BAR: [f64; 2] = [600.0, 18.0];

/// Returns the subject of the report: its region, its file, or the number of inputs.
pub(super) fn subject(summary: &Summary, regions: Option<&Kept>) -> String {
    let mut rows = regions.into_iter().flat_map(Kept::cells);
    match (rows.next(), rows.next(), summary.manifest.inputs.as_slice()) {
        (Some(row), None, _) => region_name(region::ARCHIVE.text(&row), region::REGION.text(&row)).into(),
        (_, _, [input]) => region_name(&input.archive, "").into(),
        _ => counted(summary.totals.inputs, "input"),
    }
}

/// Writes the land impact of regions and the best actions.
pub(super) fn write_actions(
    out: &mut dyn Write,
    summary: &Summary,
    regions: Option<&Kept>,
) -> io::Result<()> {
    let actions = summary.first_actions();
    if actions.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section id=\"first\"><h2>Fix first</h2>")?;
    let rows = regions.into_iter().flat_map(Kept::cells);
    rows.take(REGIONS).try_for_each(|row| write_region(out, &row, actions))?;
    if regions.is_some_and(|regions| regions.len() > 0) && !summary.in_two_parts {
        writeln!(
            out,
            "<p class=\"soft\">Dark: after these actions. Dashed line: what the region may hold.</p>"
        )?;
    }
    writeln!(out, "<ol class=\"actions\">")?;
    summary.list(Topic::Actions(Part::Whole)).iter().try_for_each(|line| write_action(out, line))?;
    let more = match summary.in_two_parts {
        true => "<p><a href=\"#actions\">All actions</a></p>",
        false => {
            "<p><a href=\"#actions\">All actions</a>, in the same order. \
                  <code>hullmark fix FILE --to-capacity</code> lists those that a region needs.</p>"
        }
    };
    writeln!(out, "</ol>\n{more}\n</section>")
}

/// Returns that the region has room after this action.
fn within_capacity(action: &ActionLine) -> String {
    let sum = action.land_impact_sum_after.map_or_else(String::new, whole);
    format!("{} is within its capacity after these, with land impact {sum}.", action.region)
}

/// Writes the land impact of a region, now and after the listed actions.
fn write_region(out: &mut dyn Write, row: &[Cell<'_>], actions: &[ActionLine]) -> io::Result<()> {
    let [archive, name] = [region::ARCHIVE, region::REGION].map(|key| key.text(row));
    let (Some(load), Some(percent), Some(capacity)) =
        (number(region::LOAD, row), number(region::PERCENT_USED, row), number(region::CAPACITY, row))
    else {
        return Ok(());
    };
    let here = actions.iter().rfind(|action| action.archive == archive && action.region == name);
    let after = here.and_then(|action| action.land_impact_sum_after.zip(action.percent_of_capacity_after));
    let whole = |number: f64| thousands(number.max(0.0).round() as u64);
    let bound = if Basis::is_lower_bound(region::LOAD_BASIS.text(row)) { "at least " } else { "" };
    let mut text = format!(
        "{}: {} {bound}{} of {} ({percent:.0} %)",
        region_name(archive, name),
        region::COUNTED.text(row),
        whole(load),
        whole(capacity)
    );
    if let Some((sum, percent)) = after {
        text += &format!("; after these actions {} ({percent:.0} %)", whole(sum));
    }
    let text = escape(&text);
    let scale = BAR[0] / percent.max(100.0);
    let width = |percent: f64| format!("{:.1}", percent * scale);
    let class = if percent > 100.0 { "error" } else { "plain" };
    let after = after.map_or(String::new(), |(_, percent)| {
        format!("<rect class=\"after\" width=\"{}\" height=\"{}\"/>", width(percent), BAR[1])
    });
    writeln!(
        out,
        "<figure class=\"land\"><figcaption>{text}</figcaption>\n<svg viewBox=\"0 0 {} {}\" role=\"img\" \
         aria-label=\"{text}\" preserveAspectRatio=\"none\"><rect class=\"{class} now\" width=\"{}\" \
         height=\"{}\"/>{after}<path class=\"limit\" d=\"M{} 0V{}\"/></svg></figure>",
        BAR[0],
        BAR[1],
        width(percent),
        BAR[1],
        width(100.0),
        BAR[1],
    )
}

fn write_action(out: &mut dyn Write, line: &Line<'_>) -> io::Result<()> {
    let Line::Action(action, _) = line else { return Ok(()) };
    let lead = line.lead();
    let class = match action.severity.filter(|_| action.land_impact().is_none()) {
        Some(severity) => format!("severity {severity}"),
        None => "impact".into(),
    };
    let place = match action.address() {
        "" if line.place().is_empty() => String::new(),
        "" => format!(" <span class=\"soft\">{}</span>", escape(region_name(line.place(), ""))),
        url => {
            let at: Vec<&str> = url.rsplit('/').take(3).collect();
            let at: Vec<&str> = at.into_iter().rev().collect();
            format!(" <a href=\"{}\">{} {}</a>", escape(url), escape(&action.region), at.join(", "))
        }
    };
    let effect = match action.effect == action.problem {
        true => String::new(),
        false => format!("<p class=\"soft\">{}</p>", escape(&action.effect)),
    };
    let fits = match action.reaches_capacity() {
        true => format!("<p class=\"fits\">{}</p>", escape(&within_capacity(action))),
        false => String::new(),
    };
    writeln!(
        out,
        "<li><b>{}</b> <span class=\"{class}\">{lead}</span> <span class=\"edits\">{}</span>{place}\
         <p>{}</p>{effect}{fits}</li>",
        escape(&action.title()),
        counted(action.edits as u64, "edit"),
        escape(&line.words()),
    )
}

/// Writes what a report in two parts says about each.
pub(super) fn write_parts(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    for &topic in summary.topics() {
        if let Topic::Findings(Part::Load | Part::Limits) = topic {
            let sentences = summary.list(topic);
            let sentences: Vec<String> = sentences.iter().map(|line| escape(&line.words())).collect();
            writeln!(out, "<p>{}</p>", sentences.join("<br>"))?;
        }
    }
    Ok(())
}

/// Writes the regions, the worst first.
pub(super) fn write_overview(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    let lines = summary.list(Topic::Regions);
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section id=\"overview\"><h2>{}</h2>\n<div class=\"scroll\"><table class=\"overview\">\n\
         <caption>An input without regions has a line of its own.</caption>\n<thead><tr>\
         <th scope=\"col\">verdict</th><th scope=\"col\">region or input</th><th scope=\"col\" class=\"number\">blockers</th><th scope=\"col\" class=\"number\">errors</th>\
         <th scope=\"col\" class=\"number\">warnings</th><th scope=\"col\" class=\"number\">new</th><th scope=\"col\" class=\"number\">lost</th><th scope=\"col\">load</th>\
         <th scope=\"col\">worst finding</th></tr></thead>\n<tbody>",
        Topic::Regions.title()
    )?;
    for line in &lines {
        let Line::Region(region) = line else { continue };
        let severe = [Severity::Blocker, Severity::Error, Severity::Warning];
        let counts = severe.map(|severity| Some(region.findings.get(severity)));
        let numbers = counts.into_iter().chain([region.new, Some(region.lost)]);
        let cell = |number: Option<u64>| {
            let shown = number.filter(|&number| number > 0).map_or_else(String::new, thousands);
            format!("<td class=\"number\">{shown}</td>")
        };
        let class = match region.verdict {
            Some(Verdict::NoGo) => Severity::Blocker.name(),
            Some(Verdict::GoWithLosses) => Severity::Error.name(),
            Some(Verdict::GoAsFarAsRead) => Severity::Warning.name(),
            Some(Verdict::Go) | None => region.findings.worst().map_or("", Severity::name),
        };
        let (column, value) = match region.region.as_str() {
            "" => ("archive", region.archive.as_str()),
            name => ("region", name),
        };
        let link = format!("#findings?{column}={}", percent_encoded(value, b"-._~"));
        let worst = region.reason.as_deref().or(region.worst_finding()).unwrap_or_default();
        writeln!(
            out,
            "<tr><td><span class=\"severity {class}\">{}</span></td><td><a href=\"{link}\">{}</a></td>{}<td>{}</td><td>{}</td></tr>",
            escape(region.lead()),
            escape(region.name()),
            numbers.map(cell).collect::<String>(),
            escape(&region.fill().unwrap_or_default()),
            escape(worst)
        )?;
    }
    let rest = lines.iter().filter(|line| !matches!(line, Line::Region(_)));
    let rest: String = rest.map(|line| format!("{}. ", line.subject())).collect();
    writeln!(out, "</tbody></table></div>\n<p>{rest}<a href=\"#regions\">All regions</a></p></section>")
}

/// Writes the content that the target will not have.
pub(super) fn write_losses(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    if summary.losses.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "<section id=\"losses\"><h2>{}</h2>\n<p>Content that objects use and the exports \
         lack, or that is damaged. The column \"lost kinds\" of <a href=\"#objects\">Objects</a> says where it is \
         used. <code>--assets PATH</code> names a folder or archive that may have it.</p>\n<ul \
         class=\"losses\">",
        Topic::Losses.title()
    )?;
    for line in summary.list(Topic::Losses) {
        let Line::Loss(loss) = &line else { continue };
        let users = loss.objects.map(|objects| format!(", used by {}", counted(objects, "object")));
        let first = loss
            .first
            .as_ref()
            .map(|first| format!("<span class=\"first\">; first: {}</span>", escape(&first.in_words())));
        let words: String = users.into_iter().chain(first).collect();
        let link = format!("#missing?kind={}", percent_encoded(&loss.kind, b"-._~"));
        writeln!(
            out,
            "<li><b>{}</b> <a href=\"{link}\">{}</a>{words}</li>",
            line.lead(),
            escape(&loss.kind)
        )?;
    }
    writeln!(out, "</ul></section>")
}

/// Writes a card for each rule with findings, the most severe first.
pub(super) fn write_cards(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    if summary.first.is_empty() {
        return Ok(());
    }
    let class = if summary.in_two_parts { " class=\"parts\"" } else { "" };
    writeln!(out, "<section id=\"cards\"{class}><h2>Findings by rule</h2>")?;
    for &topic in summary.topics() {
        if let Topic::Rules(part) = topic {
            if part != Part::Whole {
                writeln!(out, "<h3>{}</h3>", escape(part.title()))?;
            }
            write_cards_of(out, summary, topic)?;
        }
    }
    writeln!(out, "</section>")
}

fn write_cards_of(out: &mut dyn Write, summary: &Summary, topic: Topic) -> io::Result<()> {
    let rules = summary.list(topic);
    for severity in Severity::WORST_FIRST {
        let of_severity = |line| match line {
            &Line::Rule(worst, counts) if worst.severity == severity => Some((worst, counts)),
            _ => None,
        };
        let cards: Vec<_> = rules.iter().filter_map(of_severity).collect();
        if cards.is_empty() {
            continue;
        }
        // Information is folded: it asks for nothing.
        let open = if severity == Severity::Info { "" } else { " open" };
        writeln!(
            out,
            "<details{open}><summary><span class=\"severity {severity}\">{severity}</span> {}</summary>\n<ul \
             class=\"cards\">",
            counted(cards.len() as u64, "rule")
        )?;
        cards.into_iter().try_for_each(|(worst, counts)| write_card(out, summary, worst, &counts))?;
        writeln!(out, "</ul></details>")?;
    }
    Ok(())
}

fn write_card(
    out: &mut dyn Write,
    summary: &Summary,
    worst: &FindingLine,
    counts: &SeverityCounts,
) -> io::Result<()> {
    let code = worst.code;
    let rule = catalogue::rule(code);
    let all = match counts.all() {
        1 => "Show it".into(),
        _ => format!("Show all: {}", counts.found().join(", ")),
    };
    writeln!(
        out,
        "<li class=\"card {}\"><h3>{} <small><a href=\"#{code}\">{code}</a></small></h3>\n<p>{}: {}</p>\n<p \
         class=\"cure\">{}</p>\n<p><a href=\"#findings?code={code}\">{all}</a></p></li>",
        worst.severity,
        escape(rule.title),
        escape(region_name(worst.subject(), "")),
        escape(&shortened(&worst.message, MESSAGE)),
        with_code(catalogue::advice_of(code, summary.profile_of_rules())),
    )
}

/// Escapes a text, with the words between backticks as code.
pub(super) fn with_code(text: &str) -> String {
    let part = |(number, part): (usize, &str)| match number % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    text.split('`').enumerate().map(part).collect()
}

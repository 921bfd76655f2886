//! The page as one self-contained HTML file.

use super::text::{
    LOSSES, archive_line, by_reason, example_lines, loader, losses, older_copies, overview, region_line,
    unproved, verdict, waived_line, without_assets,
};
use crate::{
    content_security_policy::policy,
    preflight::{Item, Page, Verdict},
};
use hullmark_rules::catalogue::Effect;
use hullmark_util::{
    escape::html as escape,
    number_text::{counted, thousands},
};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8885; --go: #187a2f; --losses: #9a6700; --no: #b3261e; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, p, li { unicode-bidi: isolate; }
h1 { border-left: .5rem solid var(--go); padding-left: .75rem; }
h1.go-with-losses, h1.go-as-far-as-read { border-color: var(--losses); }
h1.no-go { border-color: var(--no); }
h2 { margin-top: 2rem; border-bottom: 1px solid var(--line); }
h3 { margin: 1.2rem 0 .2rem; font-size: 1rem; }
p, ul { margin: .2rem 0; }
table { border-collapse: collapse; margin: .4rem 0 1.2rem; }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; border-bottom: 1px solid var(--line); }
@media (max-width: 40rem) { h1 { font-size: 1.4rem; } th, td { padding-right: .5rem; } td:first-child { overflow-wrap: anywhere; } }
.severity { font-size: .8rem; font-weight: 600; padding: .1rem .45rem; border: 1px solid; border-radius: .6rem; }
.blocker, .error { color: light-dark(#b3261e, #ff8a80); }
.warning { color: light-dark(#7a5200, #ffc04d); }
.info { color: light-dark(#1f5fa8, #8ab8f0); }
.advice { border-left: 3px solid var(--line); padding-left: .75rem; }
summary { cursor: pointer; font-weight: 600; margin-top: 2rem; }
@media print { body { max-width: none; margin: 0; } h3 { break-after: avoid; } }
";

/// Writes the page as one HTML file.
pub fn html(page: &Page) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1 class=\"{verdict}\">{title}</h1>\n",
        policy = policy(STYLE, None),
        title = escape(&verdict(page)),
        verdict = page.verdict.name(),
    );
    for line in unproved(page).into_iter().chain(without_assets(page)) {
        let _ = writeln!(html, "<p><b>{}</b></p>", escape(&line));
    }
    let (lines, others) = overview(page);
    if !lines.is_empty() {
        let items: String = lines.iter().map(|line| format!("<li>{}</li>\n", escape(line))).collect();
        let _ = write!(html, "<ol>\n{items}</ol>\n");
    }
    html.extend(others.map(|words| format!("<p>{}</p>\n", escape(&words))));
    if page.verdict == Verdict::GoWithLosses {
        write_losses(&mut html, page);
    }
    for archive in &page.archives {
        let _ = writeln!(html, "<p>{}</p>", escape(&archive_line(page, archive)));
        list(&mut html, archive.regions.iter().map(region_line));
    }
    if page.older_copies > 0 {
        let _ = writeln!(html, "<p>{}</p>", escape(&older_copies(page.older_copies)));
    }
    section(&mut html, page, "Blockers", &page.blockers);
    if page.verdict == Verdict::NoGo {
        write_losses(&mut html, page);
    }
    for part in &page.sections {
        if part.effect == Some(Effect::Note) && !part.items.is_empty() {
            let _ = writeln!(html, "<details>\n<summary>{}</summary>", escape(part.title));
            part.items.iter().for_each(|item| write_item(&mut html, page, item));
            html += "</details>\n";
        } else {
            section(&mut html, page, part.title, &part.items);
        }
    }
    if !page.waived.is_empty() {
        html += "<h2>Waived (not counted above)</h2>\n";
        list(&mut html, page.waived.iter().map(|waived| waived_line(page, waived)));
    }
    if !page.not_evaluated.is_empty() {
        html += "<h2>Not evaluated (neither passed nor failed)</h2>\n";
        let reasons = by_reason(&page.not_evaluated).into_iter();
        list(&mut html, reasons.map(|(reason, codes)| format!("because {reason}: {}", codes.join(", "))));
    }
    let passed = counted(page.passed as u64, "rule");
    let _ =
        writeln!(html, "<p>{} {passed} found nothing.</p>\n</main>\n</body>\n</html>", escape(&loader(page)));
    html
}

fn write_losses(html: &mut String, page: &Page) {
    let (heads, rows) = losses(page);
    if rows.is_empty() {
        return;
    }
    let cells = |tag: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let heads = cells("th", heads.into_iter().map(str::to_owned).collect());
    let rows: String = rows.into_iter().map(|row| cells("td", row)).collect();
    let _ = writeln!(html, "<h2>{LOSSES}</h2>\n<table>\n{heads}{rows}</table>");
}

fn section(html: &mut String, page: &Page, title: &str, items: &[Item]) {
    if !items.is_empty() {
        let _ = writeln!(html, "<h2>{}</h2>", escape(title));
        items.iter().for_each(|item| write_item(html, page, item));
    }
}

fn write_item(html: &mut String, page: &Page, item: &Item) {
    let rule = item.rule;
    let times = if item.count == 1 { String::new() } else { format!(" × {}", thousands(item.count)) };
    let _ = writeln!(
        html,
        "<h3><span class=\"severity {severity}\">{severity}</span> {} {}{times}</h3>",
        rule.code,
        escape(rule.title),
        severity = item.severity,
    );
    list(html, example_lines(page, &item.examples).into_iter());
    for (head, words) in [("Engines", item.engines.as_str()), ("What to do", item.advice)] {
        if !words.is_empty() {
            let _ = writeln!(html, "<p class=\"advice\"><b>{head}:</b> {}</p>", escape(words));
        }
    }
}

fn list(html: &mut String, lines: impl Iterator<Item = String>) {
    let lines: String = lines.map(|line| format!("<li>{}</li>\n", escape(&line))).collect();
    if !lines.is_empty() {
        let _ = writeln!(html, "<ul>\n{lines}</ul>");
    }
}

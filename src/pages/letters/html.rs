//! A letter as one self-contained HTML file.

use super::{
    content::{CureBlock, Letter, Line},
    template::Slot,
};
use hullmark_report::content_security_policy::policy;
use hullmark_util::escape::{clean_lines, html as escape};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8885; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
hr { margin-top: 2rem; border: 0; border-top: 1px solid var(--line); }
h1, h2, h3, p, li { unicode-bidi: isolate; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { margin-top: 1.6rem; border-bottom: 1px solid var(--line); font-size: 1.2rem; }
h3 { margin: 1.2rem 0 0; font-size: 1.05rem; }
p { margin: .4rem 0; }
ul, ol { margin: .3rem 0; padding-left: 1.4rem; }
.small { color: light-dark(#555, #aaa); font-size: .9rem; margin: 0; }
.how { font-weight: 600; }
.signature { white-space: pre-line; }
.severity { font-size: .8rem; font-weight: 600; padding: .1rem .45rem; border: 1px solid; border-radius: .6rem; white-space: nowrap; }
.blocker, .error { color: light-dark(#b3261e, #ff8a80); }
.warning { color: light-dark(#7a5200, #ffc04d); }
@page { margin: 10mm 14mm; }
@media print {
body { font-size: 9.5pt; line-height: 1.2; max-width: none; margin: 0; padding: 0; }
h1 { margin: 0 0 .3rem; font-size: 14pt; } h2 { margin: .6rem 0 0; font-size: 11.5pt; }
h3 { margin-top: .5rem; font-size: 10pt; } p, ul, ol { margin-top: .1rem; margin-bottom: .1rem; }
hr { margin-top: .8rem; } h2, h3, .how { break-after: avoid; } li { break-inside: avoid; }
}";

/// Returns the value of a placeholder.
pub(super) fn value(letter: &Letter<'_>, slot: Slot) -> String {
    let frame = letter.frame;
    match slot {
        Slot::Title => escape(&letter.title),
        Slot::Address => escape(&letter.address),
        Slot::Date => escape(frame.now.unwrap_or_default()),
        Slot::Opening => paragraphs(&letter.opening),
        Slot::Actions => actions(letter),
        Slot::Problems => problems(letter),
        Slot::Closing => paragraphs(&letter.closing),
        Slot::Signature => signature(&frame.letters.signature),
        Slot::Name => escape(letter.name.as_deref().unwrap_or_default()),
        Slot::Grid => escape(&frame.grid.name),
        Slot::Contact => escape(&frame.grid.contact),
        Slot::Deadline => escape(&frame.letters.deadline),
        Slot::Language => letter.language.name().into(),
        Slot::Style => STYLE.into(),
        Slot::Policy => policy(STYLE, None),
    }
}

fn paragraphs(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| format!("<p>{}</p>\n", escape(sentence))).collect()
}

fn signature(words: &str) -> String {
    if words.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = clean_lines(words).lines().map(escape).collect();
    format!("<p class=\"signature\">{}</p>", lines.join("\n"))
}

fn actions(letter: &Letter<'_>) -> String {
    if letter.actions.is_empty() {
        return String::new();
    }
    let items: String =
        letter.actions.iter().map(|action| format!("<li>{}</li>\n", escape(action))).collect();
    format!("<h2>{}</h2>\n<ol>\n{items}</ol>", escape(&letter.help_most))
}

fn problems(letter: &Letter<'_>) -> String {
    let cures = letter.cures.iter().zip(1..);
    let cures: String = cures.map(|(cure, number)| cure_html(cure, number, &letter.how_to)).collect();
    let more = letter.more_cures.as_ref().map_or(String::new(), |more| format!("<p>{}</p>", escape(more)));
    format!("<h2>{}</h2>\n{cures}{more}", escape(&letter.broken))
}

fn cure_html(cure: &CureBlock, number: usize, how_to: &str) -> String {
    let [title, urgency, how_to] = [&cure.title, &cure.urgency, how_to].map(|words: &str| escape(words));
    let mut html = format!(
        "<h3>{number}. {title} <span class=\"severity {}\">{urgency}</span></h3>\n",
        cure.severity.name()
    );
    for problem in &cure.problems {
        let _ = writeln!(html, "<p>{}</p>\n<ul>", escape(&problem.sentence));
        html.extend(problem.lines.iter().map(line_html));
        if let Some(more) = &problem.more {
            let _ = writeln!(html, "<li>{}</li>", escape(more));
        }
        html += "</ul>\n";
    }
    let steps: String = cure.steps.iter().map(|step| format!("<li>{}</li>\n", escape(step))).collect();
    let _ = writeln!(html, "<p class=\"how\">{how_to}</p>\n<ol>\n{steps}</ol>");
    html
}

fn line_html(line: &Line) -> String {
    let mut html = format!("<li>{}", escape(&line.name));
    let place = escape(&line.place);
    let _ = match &line.link {
        _ if place.is_empty() => Ok(()),
        Some(link) => write!(html, ", <a href=\"{}\">{place}</a>", escape(link)),
        None => write!(html, ", {place}"),
    };
    if let Some(amount) = &line.amount {
        let _ = write!(html, " – {}", escape(amount));
    }
    html + "</li>\n"
}

//! A letter as one self-contained HTML file.

use super::Letter;
use crate::{report::content_security_policy::policy, util::escape::html as escape};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; --line: #8885; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
hr { margin-top: 2rem; border: 0; border-top: 1px solid var(--line); }
h1, h2, h3, p, li { unicode-bidi: isolate; }
h1 { font-size: 1.5rem; line-height: 1.25; }
h2 { margin-top: 2rem; border-bottom: 1px solid var(--line); font-size: 1.2rem; }
h3 { margin: 1.4rem 0 0; font-size: 1rem; }
p { margin: .4rem 0; }
ul { margin: .3rem 0; padding-left: 1.2rem; }
.small { color: light-dark(#555, #aaa); font-size: .9rem; margin: 0; }
.severity { font-size: .8rem; font-weight: 600; padding: .1rem .45rem; border: 1px solid; border-radius: .6rem; }
.blocker, .error { color: light-dark(#b3261e, #ff8a80); }
.warning { color: light-dark(#7a5200, #ffc04d); }
@media print { body { max-width: none; margin: 0; } h3 { break-after: avoid; } li { break-inside: avoid; } }
";

pub(super) fn html(letter: &Letter<'_>) -> String {
    let title = escape(&letter.title());
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<main>\n<h1>{title}</h1>\n<p class=\"small\">{}</p>\n",
        escape(&letter.address()),
        policy = policy(STYLE, None),
    );
    if let Some(now) = letter.now {
        let _ = writeln!(html, "<p class=\"small\">{}</p>", escape(now));
    }
    for sentence in letter.opening() {
        let _ = writeln!(html, "<p>{}</p>", escape(&sentence));
    }
    html += "<h2>What is wrong</h2>\n";
    for (thing, number) in letter.things.iter().zip(1..) {
        let [title, place, size] = [thing.title(), thing.place(), thing.size()].map(|words| escape(&words));
        let _ = writeln!(html, "<h3>{number}. {title}</h3>\n<p class=\"small\">{place}<br>{size}</p>\n<ul>");
        for trouble in &thing.troubles {
            let _ = writeln!(
                html,
                "<li><span class=\"severity {severity}\">{severity}</span> {}</li>",
                escape(&trouble.sentence()),
                severity = trouble.severity,
            );
        }
        if let Some(more) = thing.more() {
            let _ = writeln!(html, "<li>{}</li>", escape(&more));
        }
        html += "</ul>\n";
    }
    html += "<h2>How to fix it</h2>\n";
    for advice in &letter.rules {
        let [code, title, words] = [advice.code, advice.title, advice.words].map(escape);
        let _ = writeln!(html, "<h3>{code}: {title}</h3>\n<p>{words}</p>");
    }
    let _ = writeln!(
        html,
        "<hr>\n<p class=\"small\">{}</p>\n</main>\n</body>\n</html>",
        escape(Letter::closing())
    );
    html
}

//! The page after a move: the answer, then losses and changes. The tables follow.

use hullmark_finding::Severity;
use hullmark_report::arrived::{Page, Verdict, sections};
use hullmark_util::{escape::html as escape, number_text::thousands};
use std::io::{self, Write};

/// Number of lines of each part.
const LINES: usize = 20;

/// Writes the part of the page above the tables.
pub(super) fn write(out: &mut dyn Write, page: &Page) -> io::Result<()> {
    let class = match page.verdict {
        Verdict::Arrived => Severity::Info,
        Verdict::Changed => Severity::Warning,
        Verdict::Lost => Severity::Error,
        Verdict::NotProven => Severity::Blocker,
    };
    writeln!(
        out,
        "<h1>What arrived after the move</h1>\n<p class=\"verdict {class}\">{}</p>",
        escape(&page.first_line)
    )?;
    for (title, paths) in [("Before", &page.before), ("After", &page.after)] {
        let paths: Vec<String> = paths.iter().take(LINES).map(|path| escape(path)).collect();
        writeln!(out, "<p>{title}: {}</p>", paths.join(", "))?;
    }
    for section in sections(page, LINES) {
        writeln!(out, "<section><h2>{}</h2>\n<ul>", section.title)?;
        for line in &section.lines {
            writeln!(out, "<li>{}</li>", escape(line))?;
        }
        let more = if section.more > 0 {
            format!("<li>and {} more, in the tables</li>", thousands(section.more))
        } else {
            String::new()
        };
        writeln!(out, "{more}</ul></section>")?;
    }
    Ok(())
}

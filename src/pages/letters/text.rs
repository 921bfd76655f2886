//! A letter as plain text.

use super::{
    content::{CureBlock, Letter, Line},
    template::Slot,
};
use hullmark_util::{escape::clean_lines, terminal_text::wrap};
use std::fmt::Write;

/// Width of lines in an e-mail.
const WIDTH: usize = 76;

/// Returns the value of a placeholder.
pub(super) fn value(letter: &Letter<'_>, slot: Slot) -> String {
    let frame = letter.frame;
    match slot {
        Slot::Title => letter.title.clone(),
        Slot::Address => letter.address.clone(),
        Slot::Date => frame.now.unwrap_or_default().into(),
        Slot::Opening => paragraphs(&letter.opening),
        Slot::Actions => actions(letter),
        Slot::Problems => problems(letter),
        Slot::Closing => paragraphs(&letter.closing),
        Slot::Signature => clean_lines(&frame.letters.signature),
        Slot::Name => letter.name.clone().unwrap_or_default(),
        Slot::Grid => frame.grid.name.clone(),
        Slot::Contact => frame.grid.contact.clone(),
        Slot::Deadline => frame.letters.deadline.clone(),
        Slot::Language => letter.language.name().into(),
        Slot::Style | Slot::Policy => String::new(),
    }
}

fn paragraphs(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| wrap(sentence, "", "", WIDTH)).collect::<Vec<_>>().join("\n")
}

fn actions(letter: &Letter<'_>) -> String {
    if letter.actions.is_empty() {
        return String::new();
    }
    let mut text = heading(&letter.help_most);
    for (action, number) in letter.actions.iter().zip(1..) {
        text += &wrap(action, &format!("{number}. "), "   ", WIDTH);
    }
    text
}

fn problems(letter: &Letter<'_>) -> String {
    let mut text = heading(&letter.broken);
    for (cure, number) in letter.cures.iter().zip(1..) {
        if number > 1 {
            text.push('\n');
        }
        text += &cure_text(cure, number, &letter.how_to);
    }
    if let Some(more) = &letter.more_cures {
        text += &format!("\n{}", wrap(more, "", "", WIDTH));
    }
    text
}

fn cure_text(cure: &CureBlock, number: usize, how_to: &str) -> String {
    let mut text = wrap(&format!("{} ({})", cure.title, cure.urgency), &format!("{number}. "), "   ", WIDTH);
    for problem in &cure.problems {
        text += &wrap(&problem.sentence, "   ", "   ", WIDTH);
        for line in &problem.lines {
            text += &wrap(&line_text(line), "   - ", "     ", WIDTH);
        }
        if let Some(more) = &problem.more {
            text += &wrap(more, "     ", "     ", WIDTH);
        }
    }
    text += &wrap(how_to, "   ", "   ", WIDTH);
    for (step, number) in cure.steps.iter().zip(1..) {
        text += &wrap(step, &format!("   {number}) "), "      ", WIDTH);
    }
    text
}

fn line_text(line: &Line) -> String {
    let parts = [Some(&line.name), Some(&line.place).filter(|place| !place.is_empty())];
    let mut text = parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(", ");
    if let Some(amount) = &line.amount {
        let _ = write!(text, " – {amount}");
    }
    text
}

/// Returns a heading with a line below it.
fn heading(words: &str) -> String {
    format!("{words}\n{}\n", "-".repeat(words.chars().count()))
}

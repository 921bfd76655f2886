//! A letter as plain text.

use super::Letter;
use crate::util::terminal_text::wrap;
use std::fmt::Write;

/// Width of lines in an e-mail.
const WIDTH: usize = 76;

pub(super) fn text(letter: &Letter<'_>) -> String {
    let mut text = wrap(&letter.title(), "", "", WIDTH);
    let _ = writeln!(text, "\n{}", letter.address());
    if let Some(now) = letter.now {
        let _ = writeln!(text, "{now}");
    }
    for sentence in letter.opening() {
        let _ = write!(text, "\n{}", wrap(&sentence, "", "", WIDTH));
    }
    text += "\n\nWHAT IS WRONG\n";
    for (thing, number) in letter.things.iter().zip(1..) {
        text.push('\n');
        text += &wrap(&thing.title(), &format!("{number}. "), "   ", WIDTH);
        text += &wrap(&thing.place(), "   ", "   ", WIDTH);
        text += &wrap(&thing.size(), "   ", "   ", WIDTH);
        for trouble in &thing.troubles {
            text += &wrap(&trouble.sentence(), &format!("   - {}: ", trouble.severity), "     ", WIDTH);
        }
        if let Some(more) = thing.more() {
            text += &wrap(&more, "   - ", "     ", WIDTH);
        }
    }
    text += "\n\nHOW TO FIX IT\n";
    for advice in &letter.rules {
        let _ = writeln!(text, "\n{}: {}", advice.code, advice.title);
        text += &wrap(advice.words, "   ", "   ", WIDTH);
    }
    text + "\n" + &wrap(Letter::closing(), "", "", WIDTH)
}

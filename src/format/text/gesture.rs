//! Gestures: animations, sounds, chat and pauses, with one field on each line (V `llmultigesture.cpp`,
//! `LLMultiGesture::deserialize`).

use super::{
    Text,
    lines::{Lines, uuid},
};
use std::collections::BTreeSet;

/// Lines between the version and the number of steps: key, mask, trigger, replacement.
const BEFORE_STEPS: usize = 4;

/// Reads a gesture. Its animations and sounds are references.
pub(super) fn decode(text: &[u8]) -> Result<Text, String> {
    let mut lines = Lines(text);
    if lines.number() != Some(2) {
        return Err("it is not a version 2 gesture".into());
    }
    for _ in 0..BEFORE_STEPS {
        lines.next();
    }
    let steps = lines.number().ok_or("its number of steps cannot be read")?;
    let mut references = BTreeSet::new();
    for step in 1..=steps {
        let cut = || format!("its step {step} of {steps} is cut");
        match lines.number().ok_or_else(cut)? {
            // An animation or a sound: name, UUID, flags.
            0 | 1 => {
                lines.next();
                references.extend(uuid(lines.next().ok_or_else(cut)?));
                lines.next();
            }
            // Chat or a pause, and flags.
            2 | 3 => {
                lines.next();
                lines.next();
            }
            kind => return Err(format!("its step {step} is of the unknown type {kind}")),
        }
    }
    Ok(Text::new(references, BTreeSet::new()))
}

#[cfg(test)]
mod tests {
    use super::{super::tests::uuid, *};

    #[test]
    fn animations_and_sounds_are_references() {
        let (laugh, clap) = (uuid(1), uuid(2));
        let text = format!(
            "2\n255\n0\n/LOL\n\n4\n0\nBelly Laugh\n{laugh}\n0\n3\n1.5\n4\n2\nhello {}\n0\n1\nClap\n{clap}\n0\n",
            uuid(3)
        );
        let read = decode(text.as_bytes()).unwrap();
        assert_eq!((read.references, read.mentions), (vec![laugh, clap], vec![]));
    }

    #[test]
    fn cut_or_unknown_content_is_named() {
        let why = |text: &str| decode(text.as_bytes()).unwrap_err();
        assert_eq!(why("1\n"), "it is not a version 2 gesture");
        assert_eq!(why("2\n\n\n\n\nmany\n"), "its number of steps cannot be read");
        assert_eq!(why("2\n\n\n\n\n99999999999\n2\nhello\n0\n"), "its step 2 of 99999999999 is cut");
        assert_eq!(why("2\n\n\n\n\n1\n7\n"), "its step 1 is of the unknown type 7");
        assert_eq!(decode(b"2\n\n\n\n\n0\n"), Ok(Text::default()));
    }
}

//! One of several shares of a run, as typed: `3/17`.

use std::str::FromStr;

/// A share, and the number of shares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Number of the share, from 1.
    number: u32,
    of: u32,
}

impl Share {
    /// The whole run as one share.
    pub const WHOLE: Self = Self { number: 1, of: 1 };

    /// Creates the share of this number, from 1.
    ///
    /// # Errors
    /// There is no share of this number. The error is a sentence.
    pub fn new(number: u32, of: u32) -> Result<Self, String> {
        match number {
            0 => Err("shares are counted from 1, as 1/7 for the first of seven".into()),
            number if number > of => {
                Err(format!("of {of} shares none has the number {number}: use 1/{of} to {of}/{of}"))
            }
            number => Ok(Self { number, of }),
        }
    }

    /// Index of the share, from 0.
    pub fn index(self) -> usize {
        self.number as usize - 1
    }

    pub fn count(self) -> usize {
        self.of as usize
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let numbers =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        let Some((number, of)) = numbers else {
            return Err(
                "use the number of a share and how many there are, as 1/7 for the first of seven".into()
            );
        };
        Self::new(number, of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_that_does_not_exist_is_refused_with_a_sentence() {
        for (text, words) in [
            ("0/3", "from 1"),
            ("4/3", "none has the number 4: use 1/3 to 3/3"),
            ("0/0", "from 1"),
            ("half", "1/7"),
            ("1/", "1/7"),
            ("-1/3", "1/7"),
        ] {
            let error = text.parse::<Share>().unwrap_err();
            assert!(error.contains(words), "{text}: {error}");
        }
        assert_eq!("1/1".parse(), Ok(Share::WHOLE));
    }
}

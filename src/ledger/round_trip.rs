//! The way of a ledger through its file, which each ledger takes in debug builds between scan and report.

use super::Ledger;
use std::fmt::{self, Write};
use xxhash_rust::xxh3::Xxh3;

impl Ledger {
    /// Returns the ledger as a later run reads it.
    ///
    /// # Panics
    /// The file does not keep a fact. This is a mistake in a type of a fact.
    pub fn through_its_file(self) -> Self {
        let (input, before) = (self.input.clone(), digest(&self));
        let file = self.to_file();
        // There is memory for one of them.
        drop(self);
        let read = file
            .map_err(|error| error.to_string())
            .and_then(|(_, bytes)| Self::from_file(bytes).map_err(|error| error.to_string()));
        match read {
            Ok(read) if digest(&read) == before => read,
            Ok(_) => panic!("the file of the ledger of {input} does not keep a fact"),
            Err(error) => panic!("the file of the ledger of {input} cannot be read: {error}"),
        }
    }
}

/// Returns a hash of all facts, by their text. NaN, infinities and −0 have texts of their own.
fn digest(ledger: &Ledger) -> u128 {
    let mut digest = Digest(Xxh3::new());
    // A hash takes every text.
    let _ = write!(digest, "{ledger:?}");
    digest.0.digest128()
}

struct Digest(Xxh3);

impl Write for Digest {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

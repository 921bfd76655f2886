//! When the reading of an input is given up.

use std::{
    error::Error,
    io,
    time::{Duration, Instant},
};

/// A moment after which nothing more of an input is read; by default there is none. It is looked at wherever bytes come
/// from the disk, so that one that is hit costs what was not read yet and nothing else.
#[derive(Debug, Clone, Copy, Default)]
pub struct Deadline(Option<(Instant, Duration)>);

/// The moment has come. It travels as an error of the disk, because decoders hand those on as they are.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the {} for one input are over", humantime::format_duration(self.0))]
pub struct Over(pub Duration);

impl Deadline {
    /// So much time from now, where a time is given. One too long to be told is none.
    pub fn after(time: Option<Duration>) -> Self {
        Self(time.and_then(|time| Some((Instant::now().checked_add(time)?, time))))
    }

    /// How much time is left; nothing where there is no end.
    pub fn left(self) -> Option<Duration> {
        self.0.map(|(end, _)| end.saturating_duration_since(Instant::now()))
    }

    /// Nothing, or that the moment has come.
    ///
    /// # Errors
    /// [`Over`], from that moment on.
    pub fn check(self) -> io::Result<()> {
        match self.0 {
            Some((end, time)) if Instant::now() >= end => Err(io::Error::other(Over(time))),
            _ => Ok(()),
        }
    }
}

/// Whether an error says that the time is over.
pub fn is_over(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<Over>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_over_is_told_from_a_disk_that_fails() {
        let over = Deadline::after(Some(Duration::ZERO)).check().unwrap_err();
        assert!(is_over(&over) && over.to_string() == "the 0s for one input are over");
        assert!(!is_over(&io::Error::from(io::ErrorKind::TimedOut)));
        for later in [None, Some(Duration::MAX), Some(Duration::from_secs(3600))] {
            Deadline::after(later).check().unwrap();
        }
    }
}

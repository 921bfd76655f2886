//! Decides when work on an input is abandoned.

use std::{
    error::Error,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// The moment at which work on an input ends: its time limit is reached, or a signal asks the run to end. By default
/// there is none. It is checked whenever bytes come from the disk, between entries, and inside long geometry.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    end: Option<(Instant, Duration)>,
    signal: Option<Arc<AtomicBool>>,
}

/// The reason why a deadline is over. It travels as an I/O error, because decoders pass those on unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Over {
    /// The input reached its time limit.
    #[error("the time limit of {} for one input is over", humantime::format_duration(*.0))]
    Time(Duration),
    /// A signal asked the run to end.
    #[error("a signal asked the run to end")]
    Signal,
}

impl Deadline {
    /// Creates a deadline after this time. `None`, or a time too long to represent, means no deadline.
    pub fn after(time: Option<Duration>) -> Self {
        let end = time.and_then(|time| Some((Instant::now().checked_add(time)?, time)));
        Self { end, signal: None }
    }

    /// Adds a signal: the deadline is also over as soon as this flag is set.
    pub fn or_signal(self, signal: Arc<AtomicBool>) -> Self {
        Self { signal: Some(signal), ..self }
    }

    /// Returns the time left; `None` without a time limit.
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|(end, _)| end.saturating_duration_since(Instant::now()))
    }

    /// Returns whether the deadline is over, and why.
    pub fn over(&self) -> Option<Over> {
        if self.signal.as_ref().is_some_and(|signal| signal.load(Ordering::Relaxed)) {
            return Some(Over::Signal);
        }
        self.end.filter(|(end, _)| Instant::now() >= *end).map(|(_, time)| Over::Time(time))
    }

    /// Checks the deadline.
    ///
    /// # Errors [`Over`] if the deadline is over.
    pub fn check(&self) -> io::Result<()> {
        self.over().map_or(Ok(()), |over| Err(io::Error::other(over)))
    }
}

pub fn is_over(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<Over>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_over_is_reported_from_a_disk_that_fails() {
        let over = Deadline::after(Some(Duration::ZERO)).check().unwrap_err();
        assert!(is_over(&over) && over.to_string() == "the time limit of 0s for one input is over");
        assert!(!is_over(&io::Error::from(io::ErrorKind::TimedOut)));
        for later in [None, Some(Duration::MAX), Some(Duration::from_secs(3600))] {
            Deadline::after(later).check().unwrap();
        }
    }

    #[test]
    fn a_signal_ends_work_before_its_deadline() {
        let signal = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::after(Some(Duration::from_secs(3600))).or_signal(Arc::clone(&signal));
        assert_eq!(deadline.over(), None);
        signal.store(true, Ordering::Relaxed);
        assert_eq!(deadline.over(), Some(Over::Signal));
        assert!(is_over(&deadline.check().unwrap_err()));
    }
}

//! Repeats what may succeed later, with growing waits, within a time limit.

use std::{
    io, thread,
    time::{Duration, Instant},
};

/// Wait before the second attempt. Each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_secs(1);
/// Maximum number of attempts.
const ATTEMPTS: u32 = 5;

#[derive(Debug)]
pub(super) enum Attempt {
    Sent,
    /// The service may take the message later, at the earliest after this time.
    Later(String, Option<Duration>),
    /// The service will never take the message.
    Never(String),
}

impl Attempt {
    /// The certificate of the server was refused, or there is no encryption in common.
    pub(super) fn not_encrypted() -> Self {
        Self::Never("the connection could not be encrypted. Check the certificate of the server".into())
    }
}

/// Whether the handshake of TLS failed. It reads and writes, so its errors come as this kind.
pub(super) fn is_of_handshake(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidData
}

/// Calls `attempt` with the time that it may take, until it succeeds. Returns the last reason if it does not.
pub(super) fn until_sent(
    limit: Duration,
    mut attempt: impl FnMut(Duration) -> Attempt,
) -> Result<(), String> {
    let began = Instant::now();
    let mut wait = FIRST_WAIT;
    let mut number = 0;
    loop {
        number += 1;
        let left = limit.saturating_sub(began.elapsed());
        // A service that hangs leaves time for a second attempt.
        let most = (limit / 4).max(Duration::from_millis(100)).min(left);
        let (why, after) = match attempt(most) {
            Attempt::Sent => return Ok(()),
            Attempt::Never(why) => return Err(why),
            Attempt::Later(why, after) => (why, after),
        };
        let pause = after.unwrap_or(wait);
        if number == ATTEMPTS || began.elapsed().saturating_add(pause) >= limit {
            let times = if number == 1 { "once".into() } else { format!("{number} times") };
            return Err(format!("{why} (tried {times})"));
        }
        thread::sleep(pause);
        wait *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_failures_that_may_pass_are_repeated() {
        let mut calls = 0;
        let mut after = |answers: [Attempt; 2]| {
            let mut answers = answers.into_iter();
            let result = until_sent(Duration::from_secs(60), |_| {
                calls += 1;
                answers.next().unwrap()
            });
            (result, std::mem::take(&mut calls))
        };
        let later = |after| Attempt::Later("busy".into(), Some(Duration::from_secs(after)));
        assert_eq!(after([later(0), Attempt::Sent]), (Ok(()), 2));
        assert_eq!(after([later(0), Attempt::Never("no".into())]), (Err("no".into()), 2));
        for long in [60, u64::MAX] {
            assert_eq!(after([later(long), Attempt::Sent]), (Err("busy (tried once)".into()), 1), "{long}");
        }
    }

    #[test]
    fn attempts_end() {
        let mut calls = 0;
        let result = until_sent(Duration::from_secs(60), |most| {
            assert!(most <= Duration::from_secs(15));
            calls += 1;
            Attempt::Later("busy".into(), Some(Duration::ZERO))
        });
        assert_eq!((result, calls), (Err("busy (tried 5 times)".into()), ATTEMPTS));
    }
}

//! Mutexes whose values stay valid after a panic elsewhere.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, whoever panicked with it.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is in it, whoever panicked with it.
pub(crate) fn into_inner<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

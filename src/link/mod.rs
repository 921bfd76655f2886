//! Linkability.

//! Which parts can be one linkset.

pub mod current;

//! Helpers without domain knowledge: escaping, numbers as text, timings, deadlines.

pub mod advice;
pub(crate) mod catch_panic;
pub mod dates_in_names;
pub mod deadline;
pub(crate) mod deflate;
pub mod escape;
pub(crate) mod filter;
pub(crate) mod json_number;
pub(crate) mod lock;
pub mod log;
mod named;
pub mod number_text;
pub(crate) mod ordered_parallel;
pub(crate) mod terminal_text;
pub(crate) mod text_search;
pub mod timings;
pub mod work;

pub(crate) use named::named;

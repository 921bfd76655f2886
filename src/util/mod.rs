//! Helpers without domain knowledge: base64, escaping, numbers as text, timings, deadlines.

pub mod advice;
pub mod all_threads;
pub mod base64;
pub mod catch_panic;
pub mod dates_in_names;
pub mod deadline;
pub mod deflate;
pub mod escape;
pub mod filter;
pub mod frames;
pub mod json_number;
pub mod lock;
pub mod log;
mod named;
pub mod named_file;
pub mod number_text;
pub mod ordered_parallel;
pub mod sorted_run;
pub mod stable_hash;
pub mod terminal_text;
pub mod text_search;
pub mod timings;
pub mod work;
pub mod zstd;

//! The content of reports, in every format.

mod aspects;
mod console;
mod csv;
mod cure;
mod docs;
mod graded_severities;
mod html;
mod letters;
mod machine_formats;
mod mesh_pictures;
mod missing;
mod order_of_findings;
mod prose;
mod reproducibility;
mod row_filter;
mod rule_outcomes;
mod run_tables;
mod schemas;
mod target_limits;
mod third_party;
mod two_parts;
#[cfg(feature = "xlsx")]
mod xlsx;

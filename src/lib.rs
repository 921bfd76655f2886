//! hullmark audits exports of Second Life and OpenSimulator content.
//!
//! ```text
//!       scan: everything learnt, nothing judged              report: everything judged, nothing decoded
//! paths ─▶ Input ─▶ Item ─▶ Mesh / Linkset ─▶ facts ─▶ LEDGER ─▶ Measured ─▶ findings ─▶ rows ─▶ files
//!        scan::source      format         ledger::facts  ledger  analysis   rules      report
//! ```
//!
//! The [`ledger`] in the middle is the seam: [`scan`](mod@scan) writes one for each input, and [`report`] reads them and
//! nothing else. Read those two, and you have seen the program.
//!
//! | room | knows |
//! |---|---|
//! | [`util`] | nothing of the domain: escaping, numbers as text, timings, ordered parallelism |
//! | [`geometry`] | mathematics that knows no asset |
//! | [`finding`] | codes, severities, findings and their places |
//! | [`settings`] | what a person sets: configuration, target profiles, limits, the choice of rules, users |
//! | [`storage`] | files on a disk or in an object store |
//! | [`format`](mod@format) | bytes → plain data: meshes, objects, regions, images, texts |
//! | [`ledger`] | what is remembered of an input, and what tells inputs of two runs apart |
//! | [`scan`](mod@scan) | inputs → ledgers: sources, workers, cache, plans and shards |
//! | [`analysis`] | a ledger and a profile → numbers: shapes, costs, linkability, land, advice |
//! | [`rules`] | numbers → findings; history, waivers, rules across inputs |
//! | [`report`] | findings and numbers → rows → files; diff, letters, preflight |
#![cfg_attr(feature = "cli", doc = "| [`cli`] | arguments → options → call → print; a feature |")]
//!
//! Each room imports only rooms that stand above it here; `scan` and `analysis` do not see each other, and `rules` and
//! `report` do not see `scan`.
//!
//! # Example
//!
//! ```
//! use hullmark::{
//!     ledger, report,
//!     scan::{self, source},
//!     settings::{config::Config, profile::Profile},
//! };
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let (config, profile) = (Config::default(), Profile::load("second-life")?);
//! let inputs = source::walk(&["sample_data/regions/over-the-cap.oar".into()], &[])?;
//!
//! // The first half: everything learnt.
//! let keep = |ledger: ledger::Ledger| ledger.write(folder.path()).map(drop);
//! scan::scan(&inputs, &config.limits, 1, &scan::Unwatched, &keep)?;
//!
//! // The second half: everything judged.
//! let reports = report::Reports::open(&folder.path().join("report"), &config.report, Vec::new())?;
//! let manifest = report::Manifest::new(&config, &profile, None);
//! let summary = report::write(&ledger::find(&[folder.path().into()])?, &profile, manifest, 10, reports)?;
//! assert_eq!(summary.worst[0].code.name(), "PHY001");
//! # Ok(())
//! # }
//! ```

pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
pub mod finding;
pub mod format;
pub mod geometry;
pub mod ledger;
pub mod report;
pub mod rules;
pub mod scan;
pub mod settings;
pub mod storage;
pub mod util;

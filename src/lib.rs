//! hullmark audits exports of Second Life and OpenSimulator content.
//!
//! Data goes one way, and nothing downstream is asked back:
//!
//! ```text
//!       scan: everything learnt, nothing judged              report: everything judged, nothing decoded
//! paths ─▶ Input ─▶ Item ─▶ Mesh / Linkset ─▶ facts ─▶ LEDGER ─▶ Case ─▶ findings ─▶ rows ─▶ files
//!         source   source      format         facts    ledger    join     rules         report
//!                                                               measure
//! ```
//!
//! The [`ledger`] in the middle is the seam: [`scan`](mod@scan) writes one for each input, [`report`] reads them and nothing
//! else. Read those two and [`cli`], and you have seen the program.
//!
//! | room | knows |
//! |---|---|
//! | [`config`], [`profile`], [`limits`] | settings; what a target grid accepts and charges; caps on hostile input |
//! | [`control`] | which rules are judged, and how bad they are |
//! | [`finding`] | what was found, and the one table of codes |
//! | [`source`] | where bytes come from: walking, tar, gzip, unpacked trees |
//! | [`storage`] | whether that is a disk or an object store |
//! | [`format`](mod@format) | bytes → plain data: LLSD, meshes, object XML, regions |
//! | [`geometry`] | mathematics that knows no asset |
//! | [`body`], [`form`](mod@form) | what a part takes its body from; what is known of its surface |
//! | [`facts`], [`ledger`], [`shelf`] | what is remembered, and where; what of it is still true |
//! | [`brief`], [`dated`], [`history`] | what an input comes to; dates in names; what earlier archives and nights say of it |
//! | [`scan`](mod@scan) | inputs → ledgers; the threads |
//! | [`coverage`] | which inputs a night covers, and what is said of the others |
//! | [`plan`], [`share`] | the inputs of a run that many machines share, and which of them takes which |
//! | [`shape`], [`cost`], [`link`] | which physics shape a part gets, what things cost, what can be linked |
//! | [`measure`], [`join`] | facts → the numbers of a row |
//! | [`slim`] | which changes bring an object under the cap |
//! | [`calibrate`] | measured costs beside computed ones; the constants that they give |
//! | [`users`] | whom the target grid knows |
//! | [`uses`], [`ossl`], [`well_known`] | which assets an input uses; OpenSim's script functions; assets that viewers or grids bring |
//! | [`saving`] | which linksets to link or to split, to cost the simulator less |
//! | [`rules`] | facts and measures → findings |
//! | [`report`] | ledgers → rows → files |
//! | [`escape`], [`policy`](mod@policy) | words of strangers as text of a page, of a line or of JSON; what a page may do |
//! | [`night`] | what is compared of one night, and how two differ |
//! | [`waivers`] | which findings somebody answers for, and how long |
//! | [`preflight`] | go or no-go before a move, on one page |
//! | [`cli`], [`progress`], [`log`] | what a person types and sees |
//! | [`timings`] | where the time goes |
//! | [`notify`] | the operator's command, run with the summary |
//!
//! # Example
//!
//! ```
//! use hullmark::{config::Config, ledger, profile::Profile, report, scan, source};
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

//! hullmark audits exports of Second Life and OpenSimulator content.
//!
//! ```text
//!       scan: read and decode, no evaluation                 report: evaluate, no decoding
//! paths ─▶ Input ─▶ Item ─▶ Mesh / Linkset ─▶ facts ─▶ LEDGER ─▶ Measured ─▶ findings ─▶ rows ─▶ files
//!        source            format         ledger::facts  ledger  analysis   rules      report
//! ```
//!
//! The library has these functions:
//!
//! | function | from | to |
//! |---|---|---|
//! | [`decode_mesh`] | the bytes of a mesh asset | its geometry, and findings about the bytes |
//! | [`decode_object`] | an object as XML | its linksets, and findings about the bytes |
//! | [`scan()`] | files, folders, stores, streams | a [`Ledger`] for each input: all facts, no evaluation |
//! | [`analyze`] | a ledger and a [`Profile`] of a grid | costs, linkability and findings of one input |
//! | [`MeshInspection`] | a mesh of a ledger, and its points from [`read_mesh`] | its facts at a scale, SVG and glTF |
//! | [`write_report`] | ledgers and a profile | a report in a folder, an object store or memory |
//!
//! Lengths are metres, areas square metres, angles radians. Costs are those of the grid that a [`Profile`] describes.
//! The [`Basis`] of a cost shows how reliable it is. Unknown values are absent and never 0.
#![cfg_attr(feature = "cli", doc = "\nThe command is [`run`].")]
//!
//! # Rooms
//!
//! Each folder of `src/` but `cli` is a crate. A room uses only those above it in this table. `scan` and `analysis` do not
//! use each other, and `rules` and `report` use neither `source` nor `scan`.
//!
//! | room | holds |
//! |---|---|
//! | `util` | helpers without knowledge of the domain: escaping, numbers as text, timings, ordered parallelism |
//! | `geometry` | mathematics without knowledge of assets |
//! | `finding` | codes, severities, findings and their places |
//! | `settings` | configuration, target profiles, limits, selection of rules, users |
//! | `storage` | files on a disk or in an object store |
//! | `media` | images, sculpt maps, and the length of images, sounds and animations |
//! | `format` | bytes → plain data: meshes, objects, regions, texts |
//! | `database` | rows of databases, and pages of SQLite, → regions and inventories |
//! | `ledger` | the facts of an input in one file, and the identity of inputs across runs |
//! | `model` | models before their upload → the assets and the linkset of the upload |
//! | `source` | paths → inputs → members and contents |
//! | `scan` | members → ledgers: workers, cache, plans and shards |
//! | `analysis` | a ledger and a profile → numbers: shapes, costs, linkability, land, advice |
//! | `verify` | the ledgers of both sides of a move → what arrived |
//! | `rules` | numbers → findings; history, waivers, rules across inputs |
//! | `repair` | an export and its ledger → a new archive: mended, or of some of its members |
//! | `report` | findings and numbers → evaluated inputs, tables, plain rows; diff, trend, preflight |
//! | `pages` | evaluated inputs → workbooks, pages, letters, files for other programs |
//! | `cli` | arguments → options → one call → print; a feature |

#![warn(missing_docs)]

#[cfg(feature = "cli")]
mod cli;

#[cfg(feature = "cli")]
pub use cli::run;
pub use hullmark_analysis::cost::{Basis, Cost, NotEvaluated};
pub use hullmark_finding::{Code, Finding, Place, Severity};
pub use hullmark_ledger::{
    coverage::{Because, Uncovered},
    library::Ledger,
};
pub use hullmark_pages::{
    inspect::MeshInspection,
    library::{
        Analysis, Context, LedgerSource, MeshNumbers, ObjectNumbers, RegionNumbers, ReportOptions, analyze,
        write_report,
    },
};
pub use hullmark_report::{
    ReportError, RowFilter, Summary,
    output::{Destination, MemoryFiles},
};
pub use hullmark_rules::{
    RuleCount, SkipReason,
    decode::{Decoded, decode_mesh, decode_object},
    waivers::{WaiverTerms, Waivers},
};
pub use hullmark_scan::{
    library::{ScanOptions, Source, read_mesh, scan},
    plan::share::Share,
    session::ScanError,
};
pub use hullmark_settings::{
    config::Config, inventories::InventoryOwner, limits::Limits, profile::Profile, users::Users,
};
pub use hullmark_source::VirtualFile;

/// The parts of a decoded mesh asset.
pub mod mesh {
    pub use hullmark_format::mesh::{Block, Convex, Mesh, PhysicsCostData, Submesh};
    pub use hullmark_geometry::quantized::Domain;
    pub use hullmark_util::json_number::Number;
}

/// The parts of a decoded object.
pub mod object {
    pub use hullmark_format::{
        object::{Document, Item, Layout, Linkset, Part, Permissions, Sculpt, Shape},
        reference::{Reference, Use},
    };
}

/// The settings of a grid in a [`Profile`].
pub mod profile {
    pub use hullmark_settings::{
        ossl::Threat,
        profile::{
            AssetLimits, BoxAxes, Grid, Hulls, Land, LandModel, Linkability, Meshes, Named, Physics,
            PhysicsModel, Placement, ScriptEngine, Scripts, ServerWeight, Simulation, Streaming,
            StreamingModel,
        },
        rule_selection::{RuleSelection, Selector},
    };
}

/// The settings in a [`Config`], other than [`Limits`].
pub mod config {
    pub use hullmark_settings::{
        config::{CacheConfig, FailOn, Format, ReportConfig, WaiversConfig},
        history::{ExpectedConfig, HistoryConfig, MaxAge},
        letters::{GridConfig, Language, LettersConfig},
        notify::{Email, Matrix, Notify},
        secret::Secret,
    };
}

/// The content of a [`Summary`], as in `audit.json`.
pub mod summary {
    pub use hullmark_ledger::{
        coverage::NotCovered,
        facts::{Role, Status},
    };
    pub use hullmark_report::{
        AppliedFilter,
        counts::SeverityCounts,
        diff::{Change, ChangeKind, ChangesSummary, Compared, Counts, First, LandImpact, RunLine, What},
        summary::{
            ActionLine, CheckTotals, FindingLine, InputLine, LossLine, Manifest, NotRead, ObjectLine, Totals,
            UnknownFiles,
        },
    };
}

/// Errors. Each message says what to do.
pub mod error {
    pub use hullmark_ledger::LedgerError;
    pub use hullmark_pages::gltf::GltfError;
    pub use hullmark_report::{output::OutputError, trend::HistoryError};
    pub use hullmark_rules::{history::ExpectedError, waivers::WaiversError};
    pub use hullmark_scan::{cache::LedgerCacheError, plan::collect::GatherError};
    pub use hullmark_settings::{config::ConfigError, users::UsersError};
    pub use hullmark_source::NothingToAudit;
}

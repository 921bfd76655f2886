use super::{archives::scanned_of, ledgers::evaluated_by};
use hullmark::internals::{
    ledger::Ledger,
    rules::waivers::{WaiverTerms, Waivers},
    settings::{config::Config, profile::Profile},
};
use std::{
    fs,
    sync::LazyLock,
    time::{Duration, SystemTime},
};

/// What a profile judges here: a region with a mesh of many hulls, whose costs and links it decides.
static REGION: LazyLock<Ledger> =
    LazyLock::new(|| scanned_of(include_bytes!("../../sample_data/regions/over-the-cap.oar")));

/// Settings that are taken can be written and are the same when they are read again; a profile that is taken judges,
/// whatever its numbers are. What is refused is told. Returns whether it was taken as the one and as the other.
pub fn settings(bytes: &[u8]) -> [bool; 2] {
    let text = String::from_utf8_lossy(bytes);
    let settings = match Config::from_text("mutant.toml", &text) {
        Ok(config) => {
            let again = Config::from_text("written.toml", &config.to_toml()).unwrap();
            // A number may be none, and then it is not equal to itself.
            assert_eq!(again.to_toml(), config.to_toml());
            true
        }
        Err(error) => {
            assert!(error.to_string().contains("mutant.toml"), "{error}");
            false
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mutant.toml");
    fs::write(&path, &*text).unwrap();
    let profile = match Profile::load(path.to_str().unwrap()) {
        Ok(profile) => {
            evaluated_by(&REGION, &profile);
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    };
    [settings, profile]
}

/// Waivers are the same however the file's lines end and whatever an editor put in front; what is refused is told.
/// Returns whether they were taken.
pub fn waivers(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    // The 21st of November 2026: a test has no clock.
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_219_200);
    let parse = |text: &str| Waivers::parse("mutant.toml", text, WaiverTerms { now, longest_days: 180 });
    let error = match parse(&text) {
        Ok(waivers) => {
            let marked = parse(&format!("\u{feff}{text}")).unwrap();
            assert_eq!(format!("{marked:?}"), format!("{waivers:?}"));
            // The end of a line within a text of several lines is a part of it; some lines may end so already.
            if !["\"\"\"", "'''", "\r"].iter().any(|mark| text.contains(mark)) {
                let dos = parse(&text.replace('\n', "\r\n")).unwrap();
                assert_eq!(format!("{dos:?}"), format!("{waivers:?}"));
            }
            return true;
        }
        Err(error) => error.to_string(),
    };
    assert!(error.contains("mutant.toml"), "{error}");
    false
}

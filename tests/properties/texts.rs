use super::{archives::scanned_of, ledgers::evaluated_by};
use hullmark_ledger::Ledger;
use hullmark_rules::waivers::{WaiverTerms, Waivers};
use hullmark_settings::{config::Config, profile::Profile};
use std::{
    fs,
    sync::LazyLock,
    time::{Duration, SystemTime},
};

/// The region that a profile evaluates here: its mesh has many hulls, and the profile decides its costs and links.
static REGION: LazyLock<Ledger> =
    LazyLock::new(|| scanned_of(include_bytes!("../../sample_data/regions/over-the-cap.oar")));

/// Accepted settings can be written, and are the same when they are read again. An accepted profile can evaluate,
/// regardless of its numbers. Refused text has an error message. Returns whether the text was accepted as settings and
/// as a profile.
pub fn settings(bytes: &[u8]) -> [bool; 2] {
    let text = String::from_utf8_lossy(bytes);
    let settings = match Config::from_text("mutant.toml", &text) {
        Ok(config) => {
            let again = Config::from_text("written.toml", &config.to_toml()).unwrap();
            // A number may be NaN, which is not equal to itself.
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

/// Waivers are the same with any line ends and with a byte order mark. Refused text has an error message. Returns
/// `true` if the text was accepted.
pub fn waivers(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
    // 21 November 2026: a test has no clock.
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_219_200);
    let parse = |text: &str| Waivers::parse("mutant.toml", text, WaiverTerms { now, longest_days: 180 });
    let error = match parse(&text) {
        Ok(waivers) => {
            let marked = parse(&format!("\u{feff}{text}")).unwrap();
            assert_eq!(format!("{marked:?}"), format!("{waivers:?}"));
            // A line end within a multi-line string is part of it, and some lines may already end in CR LF.
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

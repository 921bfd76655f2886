use hullmark::{
    config::Config,
    waivers::{Terms, Waivers},
};
use std::time::{Duration, SystemTime};

/// Settings that are taken can be written and are the same when they are read again; what is refused is told.
pub fn settings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Config::from_text("mutant.toml", &text) {
        Ok(config) => {
            let again = Config::from_text("written.toml", &config.to_toml()).unwrap();
            // A number may be none, and then it is not equal to itself.
            assert_eq!(again.to_toml(), config.to_toml());
        }
        Err(error) => assert!(error.to_string().contains("mutant.toml"), "{error}"),
    }
}

/// Waivers are the same however the file's lines end and whatever an editor put in front; what is refused is told.
pub fn waivers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    // The 21st of November 2026: a test has no clock.
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_219_200);
    let parse = |text: &str| Waivers::parse("mutant.toml", text, Terms { now, longest_days: 180 });
    match parse(&text) {
        Ok(waivers) => {
            let marked = parse(&format!("\u{feff}{text}")).unwrap();
            assert_eq!(format!("{marked:?}"), format!("{waivers:?}"));
        }
        Err(error) => assert!(error.to_string().contains("mutant.toml"), "{error}"),
    }
}

//! The content of ledgers, and content that they never have.

use crate::support::{repository, sources};
use hullmark_finding::Code;
use std::fs;
use walkdir::WalkDir;

/// Rooms that read and keep data, and evaluate nothing.
const WITHOUT_RULES: [&str; 6] = ["database", "format", "ledger", "media", "scan", "storage"];

/// Codes, findings and severities belong to the rules. If another room named one, it would evaluate, and ledgers would
/// change with rules. `finding::Place` and `finding::Capped` are free for every room.
#[test]
fn rooms_without_rules_name_no_code_and_make_no_finding() {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for room in WITHOUT_RULES {
        for path in sources(room) {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                let judges =
                    |word: &&str| ["Finding", "Severity"].contains(word) || Code::parse(word).is_some();
                let named = line.split(|c| !is_word(c)).find(judges);
                assert_eq!(
                    named,
                    None,
                    "{} makes findings; report a `Defect` there and say what it means in \
                     src/rules/families/decoding: {line}",
                    path.display()
                );
            }
        }
    }
}

/// The digest of ledgers, their version, and the digest of the samples that they describe.
#[cfg(all(unix, feature = "sculpt"))]
mod digest {
    use super::*;
    use hullmark_ledger::{self as ledger, Ledger};
    use hullmark_scan::{ReadOptions, Unwatched, read_inputs};
    use hullmark_settings::limits::Limits;
    use hullmark_source as source;
    use serde::Deserialize;
    use std::{path::Path, sync::Mutex};
    use xxhash_rust::xxh3::Xxh3;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Digest {
        version: u32,
        samples: String,
        ledgers: String,
    }

    fn digest<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> String {
        let mut hash = Xxh3::new();
        for piece in pieces {
            hash.update(&(piece.len() as u64).to_le_bytes());
            hash.update(piece);
        }
        format!("{:032x}", hash.digest128())
    }

    /// Returns all files below a folder, each with its path.
    fn files(folder: &Path) -> Vec<Vec<u8>> {
        let files = WalkDir::new(folder).sort_by_file_name().into_iter().map(|file| file.unwrap());
        let files = files.filter(|file| file.file_type().is_file());
        let named = |file: walkdir::DirEntry| {
            let path = file.path().strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            [path.into_bytes(), fs::read(file.path()).unwrap()]
        };
        files.flat_map(named).collect()
    }

    /// Returns the ledgers of all samples, with paths that are the same everywhere.
    fn ledgers(samples: &Path) -> Vec<Vec<u8>> {
        let inputs = source::walk(&[samples.to_owned()], &[]).unwrap();
        let ledgers = Mutex::new(Vec::<Ledger>::new());
        let keep = |ledger| {
            ledgers.lock().unwrap().push(ledger);
            Ok(())
        };
        read_inputs(&inputs, &ReadOptions::new(&Limits::default(), 2), &Unwatched, &keep).unwrap();
        let mut ledgers = ledgers.into_inner().unwrap();
        ledgers.sort_by(|a, b| a.input.cmp(&b.input));
        let root = samples.parent().unwrap().to_string_lossy().into_owned();
        let bytes = |ledger: &Ledger| serde_json::to_string(ledger).unwrap().replace(&root, "").into_bytes();
        ledgers.iter().map(bytes).collect()
    }

    /// Ledgers of one version are equal, regardless of the release that wrote them. Otherwise a run would mix ledgers
    /// with different meanings.
    #[test]
    fn ledgers_change_only_with_their_version() {
        let samples = repository().join("sample_data");
        let today = Digest {
            version: ledger::VERSION,
            samples: digest(files(&samples).iter().map(Vec::as_slice)),
            ledgers: digest(ledgers(&samples).iter().map(Vec::as_slice)),
        };
        let path = repository().join("tests/truth/ledger_digest.toml");
        let kept: Digest = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        if today == kept {
            return;
        }
        let what_to_do = match (today.samples == kept.samples, today.version == kept.version) {
            (true, true) => {
                "The ledgers of sample_data changed. If that is meant, raise `ledger::VERSION` in src/ledger/mod.rs \
                 by one, because ledgers that were written before mean something else, and run this test again"
            }
            (true, false) if today.ledgers == kept.ledgers => {
                "`ledger::VERSION` changed and no ledger of sample_data did. Take it back, or add a sample that \
                 shows what changed: every archive of everybody is read again for it. Where a sample cannot show it, \
                 write the lines below"
            }
            _ => "The samples or the version of ledgers changed. Write the lines below",
        };
        panic!(
            "{what_to_do} into {}:\nversion = {}\nsamples = \"{}\"\nledgers = \"{}\"",
            path.display(),
            today.version,
            today.samples,
            today.ledgers
        );
    }
}

//! What a browser may do with the pages that are written here.

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// The content security policy of a page: apply this style, run this script, and nothing else, so that nothing that an
/// export says could be run, fetched or sent even if it were not escaped. Nor may the script itself make markup of words.
pub fn policy(style: &str, script: Option<&str>) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let script = script.map_or("'none'".into(), hash);
    format!(
        "default-src 'none'; style-src {}; script-src {script}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(style),
    )
}

//! Content security policy of HTML pages.

use base64::{Engine, engine::general_purpose::STANDARD};
use sha2::{Digest, Sha256};

/// Returns the policy of a page: this style, this script, and nothing else. Even unescaped text of an export could not
/// run, fetch or send anything. The script itself cannot turn text into markup.
pub fn policy(style: &str, script: Option<&str>) -> String {
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let script = script.map_or("'none'".into(), hash);
    format!(
        "default-src 'none'; style-src {}; script-src {script}; base-uri 'none'; form-action 'none'; \
         require-trusted-types-for 'script'; trusted-types 'none'",
        hash(style),
    )
}

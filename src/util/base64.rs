//! Base64 as .NET reads and writes it: with padding. White space is allowed anywhere, because some programs break
//! lines.

use ::base64::{
    Engine, alphabet,
    engine::general_purpose::{GeneralPurpose, PAD},
    prelude::BASE64_STANDARD,
};
use serde::{Deserialize, Deserializer, Serializer};

/// .NET ignores the bits of the last character that do not fill a byte.
const DOTNET: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// Decodes a text; `None` if it is not base64. An empty text yields no bytes.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_ascii();
    let whole = DOTNET.decode(text);
    whole.or_else(|_| DOTNET.decode(text.replace(|c: char| c.is_ascii_whitespace(), ""))).ok()
}

/// Writes bytes to a ledger as one string.
pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

/// Reads bytes that [`serialize`] wrote.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn white_space_is_passed_over() {
        assert_eq!(decode(" /wA= "), Some(vec![0xFF, 0]));
        assert_eq!(decode("/w\r\n A="), Some(vec![0xFF, 0]));
        assert_eq!(decode(" \n"), Some(vec![]));
        assert_eq!(decode("/wB="), Some(vec![0xFF, 0]), "bits beyond the last byte");
    }

    #[test]
    fn input_that_dotnet_refuses_is_refused() {
        for text in ["?", "/wA", "/wA==", "_wA=", "/wA=AA=="] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}

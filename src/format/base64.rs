//! Base64 as .NET writes and reads it: with padding, and with white space anywhere, for writers that break lines.

use ::base64::{
    Engine, alphabet,
    engine::general_purpose::{GeneralPurpose, PAD},
    prelude::BASE64_STANDARD,
};
use serde::{Deserialize, Deserializer, Serializer};

/// .NET does not look at the bits of the last character that make no byte.
const DOTNET: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, PAD.with_decode_allow_trailing_bits(true));

/// The bytes of a text; `None` where it is not base64. A text without characters is no bytes.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_ascii();
    let whole = DOTNET.decode(text);
    whole.or_else(|_| DOTNET.decode(text.replace(|c: char| c.is_ascii_whitespace(), ""))).ok()
}

/// Bytes as one string in a ledger.
pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&BASE64_STANDARD.encode(bytes))
}

/// Bytes that [`serialize`] wrote.
pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
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

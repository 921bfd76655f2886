//! Numbers in JSON, which has neither NaN nor infinity. `null` already means absent, so these are stored as strings. A
//! height of −∞ would otherwise return from a ledger as absent, and another rule would report it.

use glam::{DQuat, DVec3};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Unexpected, Visitor},
};
use std::fmt;

/// The strings for numbers that JSON cannot write. The JSON format of Protocol Buffers uses the same ones.
pub const NOT_FINITE: [&str; 3] = ["NaN", "Infinity", "-Infinity"];

/// Returns the string for a number that is not finite; `None` for a finite one.
fn word(number: f64) -> Option<&'static str> {
    let [nan, infinity, minus_infinity] = NOT_FINITE;
    match number {
        _ if number.is_nan() => Some(nan),
        f64::INFINITY => Some(infinity),
        f64::NEG_INFINITY => Some(minus_infinity),
        _ => None,
    }
}

/// Any f64.
pub struct Number(pub f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match word(self.0) {
            Some(word) => serializer.serialize_str(word),
            None => serializer.serialize_f64(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl Visitor<'_> for Reader {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or NaN, Infinity or -Infinity")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Number, E> {
        Ok(Number(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Number, E> {
        Ok(Number(number as f64))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Number, E> {
        Ok(Number(number as f64))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let number = numbers.into_iter().find(|&number| word(number) == Some(text));
        number.map(Number).ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// For `#[serde(with)]`: a length.
pub mod length {
    use super::{Deserialize, Deserializer, Number, Serialize, Serializer, word};

    pub fn serialize<S: Serializer>(length: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        match word(f64::from(*length)) {
            Some(_) => Number(f64::from(*length)).serialize(serializer),
            None => serializer.serialize_f32(*length),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        Number::deserialize(deserializer).map(|number| number.0 as f32)
    }
}

/// For `#[serde(with)]`: a vector.
pub mod vector {
    use super::{DVec3, Deserialize, Deserializer, Number, Serialize, Serializer};

    /// Whether the vector is zero including its signs, so that it can be omitted without loss.
    pub fn is_zero(vector: &DVec3) -> bool {
        vector.to_array().map(f64::to_bits) == [0; 3]
    }

    pub fn serialize<S: Serializer>(vector: &DVec3, serializer: S) -> Result<S::Ok, S::Error> {
        vector.to_array().map(Number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DVec3, D::Error> {
        <[Number; 3]>::deserialize(deserializer)
            .map(|numbers| DVec3::from_array(numbers.map(|number| number.0)))
    }
}

/// For `#[serde(with)]`: a rotation.
pub mod rotation {
    use super::{DQuat, Deserialize, Deserializer, Number, Serialize, Serializer};

    /// Whether the rotation is the identity, including the signs of its zeros.
    pub fn is_none(rotation: &DQuat) -> bool {
        rotation.to_array().map(f64::to_bits) == DQuat::IDENTITY.to_array().map(f64::to_bits)
    }

    pub fn serialize<S: Serializer>(rotation: &DQuat, serializer: S) -> Result<S::Ok, S::Error> {
        rotation.to_array().map(Number).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DQuat, D::Error> {
        <[Number; 4]>::deserialize(deserializer)
            .map(|numbers| DQuat::from_array(numbers.map(|number| number.0)))
    }
}

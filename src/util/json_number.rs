//! Numbers in facts, defects and reports. JSON has neither NaN nor infinity, and `null` already means absent, so these
//! are stored as strings. A height of −∞ would otherwise return from a ledger as absent, and a colour of +∞ would make
//! the ledger unreadable.

use glam::{DQuat, DVec3};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Unexpected, Visitor},
};
use std::{fmt, marker::PhantomData};

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

/// Any number, also NaN, an infinity or −0. Each returns from JSON as it was. Equal means the same number: NaN is equal
/// to NaN, and −0 is not equal to 0.
///
/// Facts and defects have no bare `f32` or `f64`, whose JSON loses some of these (`tests/library/numbers_of_facts.rs`).
#[derive(Clone, Copy, Default)]
pub struct Number<T = f64>(pub T);

/// The types of numbers: `f32` and `f64`.
pub trait Float: Copy + Into<f64> + Serialize + fmt::Debug + fmt::Display {
    fn of(number: f64) -> Self;
}

impl Float for f64 {
    fn of(number: f64) -> Self {
        number
    }
}

impl Float for f32 {
    fn of(number: f64) -> Self {
        number as Self
    }
}

impl<T> From<T> for Number<T> {
    fn from(number: T) -> Self {
        Self(number)
    }
}

impl<T: Float> From<Number<T>> for f64 {
    fn from(number: Number<T>) -> Self {
        number.0.into()
    }
}

impl<T: Float> PartialEq for Number<T> {
    fn eq(&self, other: &Self) -> bool {
        let [one, other]: [f64; 2] = [self.0.into(), other.0.into()];
        one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
    }
}

impl<T: Float> Eq for Number<T> {}

impl<T: Float> fmt::Debug for Number<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<T: Float> fmt::Display for Number<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl<T: Float> Serialize for Number<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match word(self.0.into()) {
            Some(word) => serializer.serialize_str(word),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de, T: Float> Deserialize<'de> for Number<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor(PhantomData))
    }
}

struct NumberVisitor<T>(PhantomData<T>);

impl<T: Float> Visitor<'_> for NumberVisitor<T> {
    type Value = Number<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, or NaN, Infinity or -Infinity")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Number<T>, E> {
        Ok(Number(T::of(number)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Number<T>, E> {
        self.visit_f64(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Number<T>, E> {
        self.visit_f64(number as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number<T>, E> {
        let numbers = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        let number = numbers.into_iter().find(|&number| word(number) == Some(text));
        match number {
            Some(number) => self.visit_f64(number),
            None => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}

/// For `#[serde(with)]`: a length.
pub mod length {
    use super::{Deserialize, Deserializer, Number, Serialize, Serializer};

    pub fn serialize<S: Serializer>(length: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        Number(*length).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        Number::deserialize(deserializer).map(|number| number.0)
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
        <[Number; 3]>::deserialize(deserializer).map(of)
    }

    pub(super) fn of(numbers: [Number; 3]) -> DVec3 {
        DVec3::from_array(numbers.map(|number| number.0))
    }
}

/// For `#[serde(with)]`: a vector, or none.
pub mod any_vector {
    use super::{DVec3, Deserialize, Deserializer, Number, Serialize, Serializer, vector};

    pub fn serialize<S: Serializer>(vector: &Option<DVec3>, serializer: S) -> Result<S::Ok, S::Error> {
        vector.map(|vector| vector.to_array().map(Number)).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DVec3>, D::Error> {
        Ok(<Option<[Number; 3]>>::deserialize(deserializer)?.map(vector::of))
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn returned<T: Float>(number: T) -> Number<T> {
        serde_json::from_str(&serde_json::to_string(&Number(number)).unwrap()).unwrap()
    }

    #[test]
    fn numbers_that_json_lacks_return() {
        for number in [f64::NAN, -f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, f64::MAX, 5e-324] {
            assert_eq!(returned(number), Number(number));
        }
        assert_ne!(returned(-0.0), Number(0.0));
        assert_eq!(serde_json::from_str::<Number>("3").unwrap(), Number(3.0));
        for wrong in ["null", "\"nan\"", "[]"] {
            assert!(serde_json::from_str::<Number>(wrong).is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn each_number_returns(double in any::<u64>(), single in any::<u32>()) {
            let (double, single) = (f64::from_bits(double), f32::from_bits(single));
            prop_assert_eq!(returned(double), Number(double));
            prop_assert_eq!(returned(single), Number(single));
        }
    }
}

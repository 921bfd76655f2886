//! Reads the types of values in elements of a part, as leniently as OpenSim.

use super::{Permissions, oddity};
use crate::{
    defect::FieldFault,
    loader::PRIM_FLAGS,
    xml::{Result, Xml, excerpt, parse_bool, parse_uuid},
};
use glam::{DQuat, DVec3};
use hullmark_util::base64;
use uuid::Uuid;

/// A value, or the reason why it is missing.
pub(super) type Field<T> = std::result::Result<T, Unread>;

#[derive(Debug, PartialEq)]
pub(super) struct Unread {
    pub(super) why: FieldFault,
    /// Whether OpenSim's reader throws or hangs at the value. Otherwise it uses a default without a message.
    pub(super) thrown: bool,
}

impl Unread {
    fn thrown(why: FieldFault) -> Self {
        Self { why, thrown: true }
    }

    fn defaulted(self) -> Self {
        Self { thrown: false, ..self }
    }
}

/// Parses a float in the invariant culture. NaN and infinities are valid: .NET writes them.
pub(super) fn parse_float(text: &str) -> Option<f64> {
    text.trim_ascii().parse().ok()
}

/// Parses a 32-bit integer, the type that .NET uses for all of them.
pub(super) fn parse_int(text: &str) -> Option<i32> {
    text.trim_ascii().parse().ok()
}

fn bad<T>(text: &str, wanted: &'static str) -> Field<T> {
    let wanted = wanted.into();
    Err(Unread::thrown(match excerpt(text) {
        text if text.is_empty() => FieldFault::Empty { wanted },
        text => FieldFault::Other { text, wanted },
    }))
}

pub(super) fn int(xml: &mut Xml<'_>) -> Result<Field<i32>> {
    let text = xml.text()?;
    Ok(parse_int(&text).map_or_else(|| bad(&text, "a whole number"), Ok))
}

/// Reads a 64-bit integer.
pub(super) fn long(xml: &mut Xml<'_>) -> Result<Field<i64>> {
    let text = xml.text()?;
    Ok(text.trim_ascii().parse().or_else(|_| bad(&text, "a whole number")))
}

/// Reads an unsigned 32-bit integer.
pub(super) fn unsigned(xml: &mut Xml<'_>) -> Result<Field<u32>> {
    let text = xml.text()?;
    Ok(text.trim_ascii().parse().or_else(|_| bad(&text, "a whole number without a sign")))
}

pub(super) fn float(xml: &mut Xml<'_>) -> Result<Field<f64>> {
    let text = xml.text()?;
    Ok(parse_float(&text).map_or_else(|| bad(&text, "a number"), Ok))
}

/// Reads a boolean. OpenSim reads any text that is not true as false.
pub(super) fn bool(xml: &mut Xml<'_>) -> Result<Field<bool>> {
    let text = xml.text()?;
    let value = parse_bool(&text).map_or_else(|| bad(&text, "true or false"), Ok);
    Ok(value.map_err(Unread::defaulted))
}

/// Reads a UUID, bare or in its own element. Like OpenSim, an empty or invalid text yields nil.
pub(super) fn uuid(xml: &mut Xml<'_>) -> Result<Field<Uuid>> {
    let (wrapper, text) = xml.leaf()?;
    if wrapper.is_some_and(|element| element.name() == "Guid") {
        xml.note(oddity::GUID_IDS);
    }
    if let Some(uuid) = parse_uuid(&text) {
        return Ok(Ok(uuid));
    }
    let none = if text.trim_ascii().is_empty() { Ok(Uuid::nil()) } else { bad(&text, "a UUID") };
    Ok(none.map_err(Unread::defaulted))
}

/// Decodes base64.
pub(super) fn bytes(text: &str) -> Field<Vec<u8>> {
    base64::decode(text).map_or_else(|| bad(text, "base64"), Ok)
}

/// Reads 32 bits as one number, which is signed in OpenSim.
pub(super) fn bits(xml: &mut Xml<'_>) -> Result<Field<u32>> {
    Ok(int(xml)?.map(|number| number as u32))
}

/// Reads a vector: three children, of any names.
pub(super) fn vector(xml: &mut Xml<'_>) -> Result<Field<DVec3>> {
    let mut values = [0.0; 3];
    let mut read = 0;
    let mut fault = None;
    while xml.child()?.is_some() {
        let Some(place) = values.get_mut(read) else {
            xml.skip()?;
            fault = fault.or_else(|| Some(Unread::thrown(FieldFault::TooMany)));
            continue;
        };
        let text = xml.text()?;
        match parse_float(&text) {
            Some(value) => *place = value,
            None => fault = fault.or_else(|| bad::<()>(&text, "a number").err()),
        }
        read += 1;
    }
    Ok(match fault {
        Some(fault) => Err(fault),
        None if read < 3 => Err(Unread::thrown(FieldFault::TooFew { read: read as u64, all: 3 })),
        None => Ok(DVec3::from_array(values)),
    })
}

/// Reads a rotation: X, Y, Z and W in any order and case. OpenSim uses 0 for a missing component, and loops forever at
/// an element of another name.
pub(super) fn quaternion(xml: &mut Xml<'_>) -> Result<Field<DQuat>> {
    let mut values = [None; 4];
    let mut fault = None;
    while let Some(element) = xml.child()? {
        let place = match element.name() {
            "X" | "x" => 0,
            "Y" | "y" => 1,
            "Z" | "z" => 2,
            "W" | "w" => 3,
            name => {
                let why = FieldFault::NoComponent { name: excerpt(name) };
                fault = fault.or_else(|| Some(Unread::thrown(why)));
                xml.skip()?;
                continue;
            }
        };
        let text = xml.text()?;
        values[place] = parse_float(&text);
        if values[place].is_none() {
            fault = fault.or_else(|| bad::<()>(&text, "a number").err());
        }
    }
    Ok(match (fault, values) {
        (Some(fault), _) => Err(fault),
        (None, [Some(x), Some(y), Some(z), Some(w)]) => Ok(DQuat::from_xyzw(x, y, z, w)),
        _ => {
            let read = values.iter().flatten().count() as u64;
            Err(Unread::thrown(FieldFault::TooFew { read, all: 4 }).defaulted())
        }
    })
}

/// Normalizes a rotation. All zeros are read as no rotation, and noted.
pub(super) fn normalised(xml: &mut Xml<'_>, raw: DQuat) -> DQuat {
    normalised_or_none(raw).unwrap_or_else(|| {
        xml.note(oddity::ZERO_ROTATION);
        DQuat::IDENTITY
    })
}

/// Normalizes a rotation; `None` for all zeros. Tiny or huge components are first scaled by the largest one, because
/// their squares would underflow or overflow. Values that are not finite are returned unchanged; a rule evaluates them.
pub fn normalised_or_none(raw: DQuat) -> Option<DQuat> {
    let largest = raw.to_array().into_iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if largest == 0.0 && !raw.is_nan() {
        return None;
    }
    if !raw.is_finite() {
        return Some(raw);
    }
    // Components of ordinary size are not scaled, so that no digit changes.
    let raw = if (1e-100..1e100).contains(&largest) { raw } else { raw / largest };
    Some(raw.normalize())
}

/// Reads `Flags`: names separated by spaces or commas, or one decimal number.
pub(super) fn flags(xml: &mut Xml<'_>) -> Result<Field<u32>> {
    let text = xml.text()?;
    Ok(parse_flags(&text))
}

fn parse_flags(text: &str) -> Field<u32> {
    if text.trim_ascii().is_empty() {
        return bad(text, "the name of a flag");
    }
    let mut bits = 0;
    for word in text.split([' ', ',', '\t', '\r', '\n']).filter(|word| !word.is_empty()) {
        match flag_named(word).or_else(|| flag_number(word)) {
            Some(bit) => bits |= bit,
            None => return bad(word, "the name of a flag"),
        }
    }
    Ok(bits)
}

/// Parses the bits of flags. Some writers store them as a signed number, so it may be negative.
fn flag_number(word: &str) -> Option<u32> {
    let number: i64 = word.parse().ok()?;
    u32::try_from(number).ok().or_else(|| i32::try_from(number).ok().map(|number| number as u32))
}

/// Returns the bit of a flag name. The names of `PrimFlags` are in the order of their bits; forks renamed some bits.
fn flag_named(word: &str) -> Option<u32> {
    const OTHER_NAMES: [(&str, u32); 6] = [
        ("AffectsNavmesh", 12),
        ("Character", 13),
        ("VolumeDetect", 14),
        ("IncludeInSearch", 15),
        ("BlockGrabObject", 26),
        ("BlockGrab", 27),
    ];
    if word.eq_ignore_ascii_case("None") {
        return Some(0);
    }
    let names = PRIM_FLAGS.into_iter().skip(1).zip(0..).chain(OTHER_NAMES);
    names.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, bit)| 1 << bit)
}

/// Permission masks while they are read.
#[derive(Debug, Default)]
pub(super) struct Masks {
    pub(super) base: Option<u32>,
    pub(super) owner: Option<u32>,
    pub(super) everyone: Option<u32>,
    pub(super) next_owner: Option<u32>,
}

impl Masks {
    /// Returns all masks, or `None` if one is missing: a part of the masks does not define the permissions.
    pub(super) fn complete(self) -> Option<Permissions> {
        Some(Permissions {
            base: self.base?,
            owner: self.owner?,
            everyone: self.everyone?,
            next_owner: self.next_owner?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{defect::DocumentType, xml::Source};

    /// Reads a value from the root element of a small document.
    fn from<T>(document: &str, read: fn(&mut Xml<'_>) -> Result<T>) -> (T, Vec<&'static str>) {
        let source = Source::new(document.as_bytes(), DocumentType::Object);
        let mut xml = Xml::new(&source, 8);
        xml.root().unwrap();
        let value = read(&mut xml).unwrap();
        xml.finish().unwrap();
        (value, xml.into_notes().oddities)
    }

    #[test]
    fn vectors_take_the_first_three_children() {
        let read = |document| from(document, vector).0.map_err(|unread| unread.why.to_string());
        assert_eq!(
            read("<V><X>1</X><Y>-4.371139E-08</Y><Z> .5 </Z></V>"),
            Ok(DVec3::new(1.0, -4.371139e-8, 0.5))
        );
        assert_eq!(read("<V><x>1</x><q>2</q><z>3</z></V>"), Ok(DVec3::new(1.0, 2.0, 3.0)));
        assert_eq!(read("<V><x>1</x><y>2</y><z>3</z><w>4</w></V>"), Err("more than 3 numbers".into()));
        assert_eq!(
            read("<V><X>INF</X><Y>-Infinity</Y><Z>0</Z></V>"),
            Ok(DVec3::new(f64::INFINITY, f64::NEG_INFINITY, 0.0))
        );
        assert!(read("<V><X>NaN</X><Y>1</Y><Z>0</Z></V>").unwrap().x.is_nan());
        assert_eq!(read("<V><X>1,5</X><Y>oops</Y><Z>0</Z></V>"), Err("“1,5” is not a number".into()));
        assert_eq!(read("<V><X>1</X><Y>2</Y></V>"), Err("2 of 3 numbers".into()));
        assert_eq!(read("<V/>"), Err("0 of 3 numbers".into()));
    }

    #[test]
    fn quaternions_go_by_name_and_are_normalised() {
        let turned = |xml: &mut Xml<'_>| Ok(quaternion(xml)?.map(|raw| normalised(xml, raw)));
        let read = |document| from(document, turned).0.map_err(|unread| unread.why.to_string());
        assert_eq!(read("<Q><w>0</w><Z>2</Z><y>0</y><X>0</X></Q>"), Ok(DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0)));
        assert_eq!(
            read("<Q><X>0</X><Y>0</Y><Z>1e-200</Z><W>0</W></Q>"),
            Ok(DQuat::from_xyzw(0.0, 0.0, 1.0, 0.0))
        );
        assert!(read("<Q><X>0</X><Y>NaN</Y><Z>0</Z><W>0</W></Q>").unwrap().is_nan());
        assert_eq!(read("<Q><X>0</X><Y>0</Y><W>1</W></Q>"), Err("3 of 4 numbers".into()));
        assert_eq!(read("<Q><X>0</X><V>0</V></Q>"), Err("“V” is not X, Y, Z or W".into()));
        let zero = from("<Q><X>0</X><Y>0</Y><Z>-0</Z><W>0</W></Q>", turned);
        assert_eq!(zero, (Ok(DQuat::IDENTITY), vec!["zero-rotation"]));
    }

    #[test]
    fn uuids_are_bare_or_wrapped() {
        let id = "e6a5a05e-e8cc-4816-8701-04165e335790";
        for (document, oddities) in [
            (format!("<U>{id}</U>"), vec![]),
            (format!("<U><UUID>{id}</UUID></U>"), vec![]),
            (format!("<U><Guid> {id} </Guid></U>"), vec!["guid-ids"]),
        ] {
            assert_eq!(from(&document, uuid), (Ok(id.parse().unwrap()), oddities));
        }
        assert_eq!(from("<U/>", uuid).0, Ok(Uuid::nil()));
        assert!(from("<U>nobody</U>", uuid).0.is_err());
    }

    #[test]
    fn some_fields_get_a_default_and_others_are_refused() {
        let refused = |document: &str, read: fn(&mut Xml<'_>) -> Result<Field<()>>| {
            from(document, read).0.unwrap_err().thrown
        };
        assert!(!refused("<V>maybe</V>", |xml| Ok(uuid(xml)?.map(drop))));
        assert!(!refused("<V>maybe</V>", |xml| Ok(bool(xml)?.map(drop))));
        assert!(refused("<V>1,5</V>", |xml| Ok(int(xml)?.map(drop))));
        assert!(refused("<V>1,5</V>", |xml| Ok(float(xml)?.map(drop))));
        assert!(!refused("<Q><X>0</X></Q>", |xml| Ok(quaternion(xml)?.map(drop))));
        assert!(refused("<Q><X>0,5</X></Q>", |xml| Ok(quaternion(xml)?.map(drop))));
        assert!(refused("<V>4294967295</V>", |xml| Ok(bits(xml)?.map(drop))), "more than 31 bits");
    }

    #[test]
    fn flags_are_names_or_a_number() {
        assert_eq!(parse_flags("Physics Phantom"), Ok(0x401));
        assert_eq!(parse_flags("Physics, Phantom, temporaryonrez"), Ok(0x2000_0401));
        assert_eq!(parse_flags(" 1088 "), Ok(0x440));
        assert_eq!(parse_flags("-2147483648"), Ok(0x8000_0000));
        assert_eq!(parse_flags("None"), Ok(0));
        assert!(parse_flags("").is_err(), "no name is no flag");
        assert!(parse_flags("Physics Levitating").is_err());
        assert!(parse_flags("99999999999").is_err());
    }
}

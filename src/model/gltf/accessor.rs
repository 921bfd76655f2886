//! The numbers of accessors.
//!
//! Every offset, stride and count is compared with the bytes of its buffer. Integers become numbers as the glTF
//! specification says for normalized ones.

use super::document::Document;
use crate::over_limit;
use gltf::json::{
    Accessor, Index,
    accessor::{ComponentType, Type},
    validation::Checked,
};
use hullmark_format::defect::ModelDefect;

/// Maximum number of elements of an accessor. No face of an upload comes near it.
const MOST_ELEMENTS: u64 = 4_000_000;

impl Document<'_> {
    /// Returns the elements of an accessor with `N` components.
    pub(super) fn floats<const N: usize>(
        &self,
        index: Index<Accessor>,
    ) -> Result<Vec<[f32; N]>, ModelDefect> {
        let accessor = self.accessor(index)?;
        let kind = component(accessor)?;
        self.elements(accessor, |bytes| {
            std::array::from_fn(|at| number(&bytes[at * kind.size()..], kind, accessor.normalized))
        })
    }

    /// Returns the elements of an accessor of four integers.
    pub(super) fn joints(&self, index: Index<Accessor>) -> Result<Vec<[u16; 4]>, ModelDefect> {
        let accessor = self.accessor(index)?;
        let kind = component(accessor)?;
        let joint = |bytes: &[u8]| u16::try_from(integer(bytes, kind)).unwrap_or(u16::MAX);
        self.elements(accessor, |bytes| std::array::from_fn(|at| joint(&bytes[at * kind.size()..])))
    }

    /// Returns indices.
    pub(super) fn indices(&self, index: Index<Accessor>) -> Result<Vec<u32>, ModelDefect> {
        let accessor = self.accessor(index)?;
        let kind = component(accessor)?;
        let indices = self.elements(accessor, |bytes| [integer(bytes, kind)])?;
        Ok(indices.into_iter().map(|[index]| index).collect())
    }

    fn accessor(&self, index: Index<Accessor>) -> Result<&Accessor, ModelDefect> {
        self.root.get(index).ok_or_else(|| damaged("an accessor is missing"))
    }

    /// Reads the elements of an accessor, and then those that it replaces. Without a view they are zero.
    fn elements<T: Copy + Default, const N: usize>(
        &self,
        accessor: &Accessor,
        read: impl Fn(&[u8]) -> [T; N],
    ) -> Result<Vec<[T; N]>, ModelDefect> {
        if components(accessor) != Some(N) {
            return Err(damaged("an accessor has another type than its attribute"));
        }
        let count = accessor.count.0;
        if count > MOST_ELEMENTS {
            return Err(over_limit("elements of an accessor"));
        }
        let size = N * component(accessor)?.size();
        let mut elements = match accessor.buffer_view {
            Some(view) => {
                let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
                let (bytes, stride) = self.view(view, offset).ok_or_else(outside)?;
                strided(bytes, stride.unwrap_or(size), size, count)?.map(&read).collect()
            }
            None => vec![[T::default(); N]; count as usize],
        };
        let Some(sparse) = &accessor.sparse else { return Ok(elements) };
        let Checked::Valid(kind) = sparse.indices.component_type else {
            return Err(damaged("an accessor has indices of an unknown type"));
        };
        let (places, _) =
            self.view(sparse.indices.buffer_view, sparse.indices.byte_offset.0).ok_or_else(outside)?;
        let (values, _) =
            self.view(sparse.values.buffer_view, sparse.values.byte_offset.0).ok_or_else(outside)?;
        let places = strided(places, kind.0.size(), kind.0.size(), sparse.count.0)?;
        for (place, value) in places.zip(strided(values, size, size, sparse.count.0)?) {
            let place = integer(place, kind.0) as usize;
            *elements.get_mut(place).ok_or_else(outside)? = read(value);
        }
        Ok(elements)
    }
}

/// Returns the elements of this size, or an error if the bytes end before the last one.
fn strided(
    bytes: &[u8],
    stride: usize,
    size: usize,
    count: u64,
) -> Result<impl Iterator<Item = &[u8]>, ModelDefect> {
    let count = usize::try_from(count).map_err(|_| outside())?;
    let needed = count.checked_sub(1).map_or(Some(0), |last| stride.checked_mul(last)?.checked_add(size));
    match needed {
        Some(needed) if needed <= bytes.len() && stride >= size => {
            Ok((0..count).map(move |at| &bytes[at * stride..at * stride + size]))
        }
        _ => Err(outside()),
    }
}

fn outside() -> ModelDefect {
    damaged("an accessor is outside of its buffer")
}

fn damaged(why: &str) -> ModelDefect {
    ModelDefect::Unreadable { why: why.into() }
}

fn component(accessor: &Accessor) -> Result<ComponentType, ModelDefect> {
    match accessor.component_type {
        Checked::Valid(kind) => Ok(kind.0),
        Checked::Invalid => Err(damaged("an accessor has components of an unknown type")),
    }
}

fn components(accessor: &Accessor) -> Option<usize> {
    match accessor.type_ {
        Checked::Valid(Type::Scalar) => Some(1),
        Checked::Valid(Type::Vec2) => Some(2),
        Checked::Valid(Type::Vec3) => Some(3),
        Checked::Valid(Type::Vec4 | Type::Mat2) => Some(4),
        Checked::Valid(Type::Mat3) => Some(9),
        Checked::Valid(Type::Mat4) => Some(16),
        Checked::Invalid => None,
    }
}

/// Returns an integer of at least as many bytes as its type has. Other kinds of numbers become 0.
fn integer(bytes: &[u8], kind: ComponentType) -> u32 {
    match (kind, bytes) {
        (ComponentType::U8, &[a, ..]) => a.into(),
        (ComponentType::U16, &[a, b, ..]) => u16::from_le_bytes([a, b]).into(),
        (ComponentType::U32, &[a, b, c, d, ..]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

fn number(bytes: &[u8], kind: ComponentType, normalized: bool) -> f32 {
    let (value, most) = match (kind, bytes) {
        (ComponentType::I8, &[a, ..]) => (f32::from(a as i8), 127.0),
        (ComponentType::U8, &[a, ..]) => (f32::from(a), 255.0),
        (ComponentType::I16, &[a, b, ..]) => (f32::from(i16::from_le_bytes([a, b])), 32_767.0),
        (ComponentType::U16, &[a, b, ..]) => (f32::from(u16::from_le_bytes([a, b])), 65_535.0),
        (ComponentType::U32, &[a, b, c, d, ..]) => (u32::from_le_bytes([a, b, c, d]) as f32, u32::MAX as f32),
        (ComponentType::F32, &[a, b, c, d, ..]) => return f32::from_le_bytes([a, b, c, d]),
        _ => return 0.0,
    };
    if normalized { (value / most).max(-1.0) } else { value }
}

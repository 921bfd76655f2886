//! Writes binary LLSD.

/// A value.
#[derive(Debug, Clone)]
pub enum Llsd {
    Bool(bool),
    Int(i32),
    Real(f64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    Uuid(uuid::Uuid),
    Array(Vec<Llsd>),
    Map(Vec<(String, Llsd)>),
}

impl Llsd {
    /// Returns a map from keys and values.
    pub fn map<const N: usize>(entries: [(&str, Llsd); N]) -> Self {
        Self::Map(entries.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// Returns a text.
    pub fn text(text: &str) -> Self {
        Self::Text(text.as_bytes().to_vec())
    }

    /// Returns an array of reals.
    pub fn reals(values: impl IntoIterator<Item = f64>) -> Self {
        Self::Array(values.into_iter().map(Self::Real).collect())
    }

    /// Returns points or triangles as little-endian u16.
    pub fn triples(triples: &[[u16; 3]]) -> Self {
        Self::Bytes(Self::triple_bytes(triples))
    }

    /// Returns the bytes of points or triangles.
    pub fn triple_bytes(triples: &[[u16; 3]]) -> Vec<u8> {
        triples.iter().flatten().flat_map(|q| q.to_le_bytes()).collect()
    }

    /// Returns the map with a new value under this key.
    pub fn with(self, key: &str, value: Self) -> Self {
        let Self::Map(mut entries) = self.without(key) else { unreachable!() };
        entries.push((key.into(), value));
        Self::Map(entries)
    }

    /// Returns the map without this key.
    pub fn without(self, key: &str) -> Self {
        let Self::Map(mut entries) = self else { unreachable!("only a map has keys") };
        entries.retain(|(name, _)| name != key);
        Self::Map(entries)
    }

    /// Returns the encoded bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        let sized = |out: &mut Vec<u8>, tag: u8, bytes: &[u8]| {
            out.push(tag);
            out.extend((bytes.len() as u32).to_be_bytes());
            out.extend(bytes);
        };
        match self {
            Self::Bool(value) => out.push(if *value { b'1' } else { b'0' }),
            Self::Int(value) => {
                out.push(b'i');
                out.extend(value.to_be_bytes());
            }
            Self::Real(value) => {
                out.push(b'r');
                out.extend(value.to_be_bytes());
            }
            Self::Text(text) => sized(out, b's', text),
            Self::Bytes(bytes) => sized(out, b'b', bytes),
            Self::Uuid(uuid) => {
                out.push(b'u');
                out.extend(uuid.as_bytes());
            }
            Self::Array(values) => {
                out.push(b'[');
                out.extend((values.len() as u32).to_be_bytes());
                values.iter().for_each(|value| value.write(out));
                out.push(b']');
            }
            Self::Map(entries) => {
                out.push(b'{');
                out.extend((entries.len() as u32).to_be_bytes());
                for (key, value) in entries {
                    sized(out, b'k', key.as_bytes());
                    value.write(out);
                }
                out.push(b'}');
            }
        }
    }
}

//! The suffixes by which the uploader finds the levels of a part (`llmodelpreview.cpp` `getLodSuffix`, `stripSuffix`).

/// A place in an upload: a level of detail, or the physics model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// 0 is the lowest level, 2 the one below the highest.
    Level(usize),
    Physics,
}

impl Slot {
    /// All slots, in the order in which the uploader looks for their files.
    pub const ALL: [Self; 4] = [Self::Level(2), Self::Level(1), Self::Level(0), Self::Physics];

    /// Returns the suffix of names.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Level(0) => "_LOD0",
            Self::Level(1) => "_LOD1",
            Self::Level(_) => "_LOD2",
            Self::Physics => "_PHYS",
        }
    }
}

/// Splits the name of a node into the name of its part and the slot of its suffix.
///
/// If a name has `_LOD` or `_PHYS` anywhere, its last underscore begins the suffix. A suffix may go on, as in
/// `chair_LOD1.001`.
pub(crate) fn split(name: &str) -> (&str, Option<Slot>) {
    let has_suffix = ["_LOD", "_PHYS"].iter().any(|begin| name.contains(begin));
    match name.rfind('_').filter(|_| has_suffix) {
        Some(end) => {
            (&name[..end], Slot::ALL.into_iter().find(|slot| name[end..].starts_with(slot.suffix())))
        }
        None => (name, None),
    }
}

/// Returns the name of the file with a slot of the model in this file. `None` without an extension.
///
/// The uploader puts the suffix before the extension (`lookupLODModelFiles`).
pub fn file_of(file: &str, slot: Slot) -> Option<String> {
    let (stem, extension) = file.rsplit_once('.')?;
    Some(format!("{stem}{}.{extension}", slot.suffix()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_underscore_begins_a_suffix() {
        let cases = [
            ("chair", ("chair", None)),
            ("arm_chair", ("arm_chair", None)),
            ("arm_chair_LOD0", ("arm_chair", Some(Slot::Level(0)))),
            ("chair_LOD2.001", ("chair", Some(Slot::Level(2)))),
            ("chair_PHYS", ("chair", Some(Slot::Physics))),
            ("chair_LOD3", ("chair", None)),
            ("chair_lod1", ("chair_lod1", None)),
            ("a_LOD1_b", ("a_LOD1", None)),
            ("_PHYS", ("", Some(Slot::Physics))),
        ];
        for (name, expected) in cases {
            assert_eq!(split(name), expected, "{name}");
        }
        assert_eq!(file_of("a.b.glb", Slot::Level(1)).as_deref(), Some("a.b_LOD1.glb"));
        assert_eq!(file_of("model", Slot::Physics), None);
    }
}

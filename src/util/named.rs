//! Enums whose values have names in reports.

/// Defines an enum with `name()`: the words that reports have for each value. They do not change.
macro_rules! named {
    ($(#[$about:meta])* $visibility:vis enum $kind:ident {
        $($(#[$meaning:meta])* $value:ident $(($reason:ty))? = $words:literal,)+
    }) => {
        $(#[$about])*
        $visibility enum $kind {
            $($(#[$meaning])* $value $(($reason))?,)+
        }

        impl $kind {
            /// The words used in reports; they do not change.
            $visibility fn name(self) -> &'static str {
                match self {
                    $(Self::$value { .. } => $words,)+
                }
            }
        }
    };
}
pub(crate) use named;

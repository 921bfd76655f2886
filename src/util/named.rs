//! Enumerations whose variants have names.

/// Makes an enumeration of variants with their names.
macro_rules! named {
    ($(#[$about:meta])* $visible:vis enum $of:ident { $($(#[$each:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        $visible enum $of {
            $($(#[$each])* $variant,)*
        }

        impl $of {
            /// All of them, in their order.
            #[allow(dead_code, reason = "not everybody goes through all")]
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name used in reports and settings.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}
pub(crate) use named;

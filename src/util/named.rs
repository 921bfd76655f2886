//! Enumerations with variant names for reports and settings.

/// Defines an enumeration with `name()`. The names do not change. If no variant has data, the enumeration also has
/// `ALL`.
#[macro_export]
macro_rules! named {
    ($(#[$about:meta])* $visible:vis enum $of:ident { $($(#[$each:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$about])*
        $visible enum $of {
            $($(#[$each])* #[cfg_attr(doc, doc = concat!("\n\nNamed `", $name, "`."))] $variant,)+
        }

        impl $of {
            #[allow(dead_code, reason = "not everybody goes through all")]
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// The name used in reports and settings; it does not change.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
    ($(#[$about:meta])* $visible:vis enum $of:ident {
        $($(#[$each:meta])* $variant:ident $(($reason:ty))? = $name:literal,)+
    }) => {
        $(#[$about])*
        $visible enum $of {
            $($(#[$each])* $variant $(($reason))?,)+
        }

        impl $of {
            /// The name used in reports and settings; it does not change.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name,)+
                }
            }
        }
    };
}

#![no_main]

use hullmark_fuzz::{mutate, target};

target!(settings, |dice, bytes| mutate::text(dice, bytes, &bytes.clone()));

#![no_main]

use hullmark_fuzz::{mutate, target};

target!(waivers, |dice, bytes| mutate::text(dice, bytes, &bytes.clone()));

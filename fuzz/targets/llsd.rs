#![no_main]

use hullmark_fuzz::{mutate, target};

target!(llsd, |dice, bytes| mutate::llsd(dice, bytes, &bytes.clone()));

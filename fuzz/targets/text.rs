#![no_main]

use hullmark_fuzz::{mutate, target};

target!(text, |dice, bytes| mutate::bytes(dice, bytes, &bytes.clone()));

#![no_main]

use hullmark_fuzz::{mutate, target};

target!(model, |dice, bytes| mutate::bytes(dice, bytes, &bytes.clone()));

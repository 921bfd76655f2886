#![no_main]

use hullmark_fuzz::{mutate, target};

target!(sculpt_map, |dice, bytes| mutate::bytes(dice, bytes, &bytes.clone()));

#![no_main]

use hullmark_fuzz::{mutate, target};

target!(repaired, |dice, bytes| mutate::xml(dice, bytes, &bytes.clone()));

#![no_main]

use hullmark_fuzz::{mutate, target};

target!(cached_asset, |dice, bytes| mutate::bytes(dice, bytes, &bytes.clone()));

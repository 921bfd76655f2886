#![no_main]

use hullmark_fuzz::{mutate, target};

target!(ledger, |dice, bytes| mutate::text(dice, bytes, &bytes.clone()));

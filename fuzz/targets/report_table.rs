#![no_main]

use hullmark_fuzz::{mutate, target};

target!(report_table, |dice, bytes| mutate::bytes(dice, bytes, &bytes.clone()));

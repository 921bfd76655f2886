#![no_main]

use hullmark_fuzz::{mutate, target};

target!(object_xml, |dice, bytes| mutate::xml(dice, bytes, &bytes.clone()));

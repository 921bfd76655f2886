#![no_main]

use hullmark_fuzz::{mutate, target};

target!(viewer_export, mutate::oxp);

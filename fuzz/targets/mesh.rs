#![no_main]

use hullmark_fuzz::{mutate::Mesh, target};

target!(mesh, |dice, bytes| {
    let mesh = Mesh::open(bytes);
    *bytes = mesh.mutant(dice, &mesh).0;
});

//! Code that the fuzz targets share with the tests: properties, and changes of files.

#[path = "../../tests/support/mutate/mod.rs"]
pub mod mutate;
#[path = "../../tests/properties/mod.rs"]
pub mod properties;

use libfuzzer_sys::fuzzer_mutate;
use mutate::Dice;

/// Changes the first `size` bytes of a buffer. Half of the changes are libFuzzer's, which learns from coverage. The
/// other half are those of the tests, which know the format. Returns the new size in bytes.
pub fn changed(
    buffer: &mut [u8],
    size: usize,
    most: usize,
    seed: u32,
    change: impl FnOnce(&mut Dice, &mut Vec<u8>),
) -> usize {
    let mut dice = Dice::new(seed.into());
    if dice.once_in(2) {
        return fuzzer_mutate(buffer, size, most);
    }
    let mut bytes = buffer[..size].to_vec();
    change(&mut dice, &mut bytes);
    let kept = bytes.len().min(most);
    buffer[..kept].copy_from_slice(&bytes[..kept]);
    kept
}

/// A target: a property over input from libFuzzer, with a mutator that knows the format.
#[macro_export]
macro_rules! target {
    ($property:ident, $change:expr) => {
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::changed(data, size, max_size, seed, $change)
        });
        libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
            let _ = $crate::properties::$property(bytes);
        });
    };
}

/// Numbers that look random and are the same in every run (xorshift64*).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Dice of this seed. Seeds that follow each other give dice that have nothing in common.
    pub fn new(seed: u64) -> Self {
        // The last step of splitmix64; xorshift stays at 0 for ever.
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self((mixed ^ mixed >> 31) | 1)
    }

    /// A number below `limit`, and 0 where that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// True once in `of` times.
    pub fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// A length up to `most`, short ones as often as long ones.
    pub fn length(&mut self, most: usize) -> usize {
        let bits = self.below(most.checked_ilog2().map_or(0, |bits| bits as usize + 1));
        (1_usize << bits) + self.below(1 << bits)
    }
}

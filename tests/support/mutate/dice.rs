/// Numbers that look random and are the same in every run (xorshift64*).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// Creates dice from a seed. Consecutive seeds give unrelated dice.
    pub fn new(seed: u64) -> Self {
        // The last step of splitmix64. Without it, consecutive seeds would be alike, and xorshift stays at 0 forever.
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        Self((mixed ^ mixed >> 31) | 1)
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit.max(1)
    }

    /// Returns one of several items.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// Returns `true` once in `of` times.
    pub fn once_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// Returns a length up to about `most`. Short lengths are as frequent as long ones.
    pub fn length(&mut self, most: usize) -> usize {
        let bits = self.below(most.checked_ilog2().map_or(0, |bits| bits as usize + 1));
        (1_usize << bits) + self.below(1 << bits)
    }
}

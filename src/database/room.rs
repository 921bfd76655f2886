//! The memory for the rows of an input. It is charged before anything is kept.

use uuid::Uuid;

/// What may be kept of the databases of one input.
#[derive(Debug, Clone, Copy)]
pub struct RoomLimits {
    /// Bytes of memory for rows.
    pub bytes: u64,
    /// Bytes of memory for names.
    pub names: u64,
    pub regions: usize,
}

/// The charges of the databases of one input, and counts of rows above a limit.
#[derive(Debug)]
pub struct Room {
    limits: RoomLimits,
    bytes: u64,
    names: u64,
    regions: usize,
    /// Whether rows are left out, because those before take all the memory.
    pub is_full: bool,
    /// Rows of regions above the limit, and the first of these regions.
    pub further_regions: Option<(u64, Uuid)>,
    /// Number of regions in the list of a grid that are left out.
    pub unlisted: u64,
}

impl Room {
    /// Creates empty room.
    pub fn new(limits: RoomLimits) -> Self {
        Self { limits, bytes: 0, names: 0, regions: 0, is_full: false, further_regions: None, unlisted: 0 }
    }

    /// Charges a row. Returns whether it may be kept. After the first row that may not, no later one may.
    pub fn takes(&mut self, bytes: usize) -> bool {
        let all = self.bytes.saturating_add(bytes as u64);
        self.is_full |= all > self.limits.bytes;
        if !self.is_full {
            self.bytes = all;
        }
        !self.is_full
    }

    /// Charges a name. Returns whether it may be kept.
    pub fn takes_name(&mut self, bytes: usize) -> bool {
        let all = self.names.saturating_add(bytes as u64);
        let fits = all <= self.limits.names;
        if fits {
            self.names = all;
        }
        fits
    }

    /// Counts a region that is new. Returns whether its rows may be kept.
    pub fn takes_region(&mut self, region: Uuid, bytes: usize) -> bool {
        if self.regions >= self.limits.regions {
            self.further_regions.get_or_insert((0, region)).0 += 1;
            return false;
        }
        let fits = self.takes(bytes);
        self.regions += usize::from(fits);
        fits
    }

    /// Makes room again for what a database no longer has.
    pub fn gives(&mut self, bytes: u64, regions: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
        self.regions = self.regions.saturating_sub(regions);
        self.is_full = false;
    }

    /// Bytes of memory for names so far.
    pub fn names(&self) -> u64 {
        self.names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_above_a_limit() {
        let mut room = Room::new(RoomLimits { bytes: 100, names: 10, regions: 2 });
        assert!(room.takes(60) && room.takes(40) && !room.takes(1) && room.is_full);
        room.gives(50, 0);
        assert!(room.takes(50) && !room.takes(1) && !room.takes(0), "later rows are left out, too");
        room.gives(100, 0);
        let [one, other, third] = [1, 2, 3].map(Uuid::from_u128);
        assert!(room.takes_region(one, 1) && room.takes_region(other, 1));
        assert!(!room.takes_region(third, 1) && !room.takes_region(third, 1));
        assert_eq!((room.further_regions, room.is_full), (Some((2, third)), false));
        assert!(room.takes_name(10) && !room.takes_name(1));
    }
}

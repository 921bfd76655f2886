//! The gate that limits undecoded bytes.

use hullmark_util::{
    lock::lock,
    timings::{self, Stage},
};
use std::sync::{Condvar, Mutex, PoisonError};

/// Bounds the bytes that wait for a worker.
#[derive(Debug)]
pub(super) struct Gate {
    room: Mutex<Room>,
    freed: Condvar,
    capacity: u64,
}

#[derive(Debug)]
struct Room {
    free: u64,
    /// Number of lanes that wait for room. With 0 the gate wakes nobody, which saves a system call for each member.
    waiting: usize,
}

/// A share of the room of the gate. Dropping it returns the room.
#[derive(Debug)]
pub(super) struct Ticket<'a> {
    gate: &'a Gate,
    bytes: u64,
}

impl Gate {
    pub(super) fn new(capacity: u64) -> Self {
        Self { room: Mutex::new(Room { free: capacity, waiting: 0 }), freed: Condvar::new(), capacity }
    }

    /// Returns a ticket if there is room now.
    pub(super) fn try_enter(&self, bytes: u64) -> Option<Ticket<'_>> {
        let bytes = bytes.min(self.capacity);
        let mut room = lock(&self.room);
        room.free = room.free.checked_sub(bytes)?;
        Some(Ticket { gate: self, bytes })
    }

    /// Waits until there is room. A request larger than the gate waits until the gate is empty.
    pub(super) fn enter(&self, bytes: u64) -> Ticket<'_> {
        let bytes = bytes.min(self.capacity);
        let mut room = lock(&self.room);
        while room.free < bytes {
            room.waiting += 1;
            let wait = || self.freed.wait(room).unwrap_or_else(PoisonError::into_inner);
            room = timings::within(Stage::Waiting, wait);
            room.waiting -= 1;
        }
        room.free -= bytes;
        Ticket { gate: self, bytes }
    }

    /// Gives a lane a ticket for this many bytes. Its old one goes first: a lane that waits while it holds a ticket could
    /// block itself.
    pub(super) fn replace<'g>(&'g self, ticket: &mut Option<Ticket<'g>>, bytes: u64) {
        *ticket = None;
        *ticket = Some(self.enter(bytes));
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let mut room = lock(&self.gate.room);
        room.free += self.bytes;
        if room.waiting > 0 {
            self.gate.freed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gate_lets_a_giant_in_alone_and_gives_room_back() {
        let gate = Gate::new(10);
        let giant = gate.enter(1_000_000);
        assert_eq!(lock(&gate.room).free, 0);
        drop(giant);
        let (one, two) = (gate.enter(4), gate.try_enter(6).unwrap());
        assert_eq!(lock(&gate.room).free, 0);
        assert!(gate.try_enter(1).is_none());
        drop((one, two));
        assert_eq!(lock(&gate.room).free, 10);
    }
}

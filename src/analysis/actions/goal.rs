//! Takes as few edits as needed to reach a goal.

use super::Action;

/// A land impact to reach.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    pub present: f64,
    /// Land impact to reach.
    pub at_most: f64,
}

/// The actions that lead to a goal.
#[derive(Debug, Clone)]
pub struct Reached {
    /// The actions, in the order of the list.
    pub actions: Vec<Action>,
    /// Land impact after them.
    pub after: f64,
    /// Whether they reach the goal. Otherwise they are all actions that are known.
    pub reached: bool,
}

impl Goal {
    /// Takes actions from the front of a sorted list until the goal is reached. Then drops those that are not needed, the
    /// smallest saving for each edit first.
    pub fn reach(self, actions: &[Action]) -> Reached {
        let mut after = self.present;
        let mut taken: Vec<Action> = Vec::new();
        for action in actions {
            if after <= self.at_most {
                break;
            }
            after -= action.saving();
            taken.push(action.clone());
        }
        let reached = after <= self.at_most;
        let mut index = taken.len();
        while reached && index > 0 {
            index -= 1;
            let saving = taken[index].saving();
            let is_last_step = !taken[index + 1..].iter().any(|later| later.objects == taken[index].objects);
            if is_last_step && after + saving <= self.at_most {
                after += saving;
                taken.remove(index);
            }
        }
        Reached { actions: taken, after, reached }
    }
}

//! What all threads share while they decode one input.

use super::{
    assets,
    byte_gate::Ticket,
    contents::ContentCache,
    decode::decode_caught,
    results::DecodedResults,
    sculpts::MapDecoder,
    work::{Found, WorkBudget},
};
use hullmark_ledger::facts::AssetFacts;
use hullmark_settings::limits::Limits;
use hullmark_source::{Deadline, Item, Kind, content::Decoded};
use hullmark_util::{deadline::Over, lock::lock, work::Work};
use std::sync::Mutex;

/// The state that all threads share while they decode one input.
pub(super) struct Decoding<'a> {
    pub(super) learnt: Mutex<DecodedResults>,
    pub(super) rations: Mutex<WorkBudget>,
    pub(super) maps: MapDecoder<'a>,
    /// Why further members are not decoded. `None` while there is time.
    pub(super) over: Mutex<Option<Over>>,
    pub(super) loose: bool,
    pub(super) limits: &'a Limits,
    pub(super) contents: Option<&'a ContentCache>,
    pub(super) deadline: Deadline,
}

impl Decoding<'_> {
    /// Decodes a member if there is time left, and adds the result.
    pub(super) fn learn(&self, member: &Member<'_>) {
        let Member { number, mesh, ref item, .. } = *member;
        let mut work = Work::new(self.limits.asset_work, self.deadline.clone());
        let mut over = self.deadline.over();
        let (mut decoded, asset) = match over {
            Some(_) => (None, None),
            None => self.look_into(item, mesh.is_some(), &mut work),
        };
        over = over.or(work.over());
        if let Some(over) = over {
            lock(&self.over).get_or_insert(over);
            // A partial result would pass for a complete one.
            decoded = None;
        }
        let Some(mesh) = mesh else { return lock(&self.learnt).add(number, decoded, asset) };
        lock(&self.learnt).add(number, None, asset);
        let found = Found { number, entry: item.name.clone(), decoded };
        // An asset may use its own budget in any case. The excess is below one charge.
        let units = work.done().min(self.limits.asset_work);
        let known = lock(&self.rations).charge(mesh, units, found);
        known.into_iter().for_each(|found| lock(&self.learnt).add(found.number, found.decoded, None));
    }

    /// Returns the content of a member. A mesh is decoded only while work is left.
    fn look_into(
        &self,
        item: &Item,
        is_mesh: bool,
        work: &mut Work,
    ) -> (Option<Decoded>, Option<AssetFacts>) {
        let left_out = is_mesh && lock(&self.rations).is_spent();
        let mut decode =
            || (!left_out).then(|| decode_caught(item, self.loose, self.limits, work, self.contents));
        if !item.kind.is_asset() {
            return (decode(), None);
        }
        let (asset, failure) = assets::of_item(item, self.contents);
        let decoded = match item.kind {
            Kind::Text => failure.map(|defect| Decoded::defect(*defect)),
            _ => decode(),
        };
        (decoded, Some(asset))
    }
}

/// A member to decode.
pub(super) struct Member<'scope> {
    pub(super) number: u64,
    /// The number of the mesh or scene among the meshes and scenes. `None` for other kinds.
    pub(super) mesh: Option<u64>,
    pub(super) item: Item,
    /// Held until the member is decoded.
    pub(super) _ticket: Option<Ticket<'scope>>,
}

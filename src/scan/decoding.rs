//! What all threads share while they decode one input.

use super::{
    assets,
    byte_gate::Ticket,
    decode::MemberDecoder,
    results::DecodedResults,
    sculpts::MapDecoder,
    work::{MeshResult, WorkBudget},
};
use hullmark_ledger::facts::AssetFacts;
use hullmark_source::{Input, Item, Kind, ReadRequest, What, content::Decoded};
use hullmark_storage::contents::ContentCache;
use hullmark_util::{deadline::Over, lock::lock, work::Work};
use std::sync::Mutex;

/// The state that all threads share while they decode one input.
pub(super) struct Decoding<'a> {
    pub(super) request: &'a ReadRequest<'a>,
    pub(super) results: Mutex<DecodedResults>,
    pub(super) work: Mutex<WorkBudget>,
    pub(super) maps: MapDecoder<'a>,
    /// Why further members are not decoded. `None` while there is time.
    pub(super) over: Mutex<Option<Over>>,
    /// Whether the lane decodes the members, because waking a worker takes longer.
    pub(super) is_small: bool,
    decoder: MemberDecoder<'a>,
}

/// Largest size, in bytes, of an input that its lane decodes without workers.
const SMALL: u64 = 1024 * 1024;

impl<'a> Decoding<'a> {
    pub(super) fn new(
        input: &Input,
        request: &'a ReadRequest<'a>,
        contents: Option<&'a ContentCache>,
    ) -> Self {
        let limits = request.limits;
        let bytes = input.bytes_or_most(limits);
        Self {
            request,
            results: Mutex::new(DecodedResults::new(limits.facts_bytes)),
            work: Mutex::new(WorkBudget::new(bytes, limits)),
            maps: MapDecoder::new(request, contents),
            over: Mutex::default(),
            is_small: bytes <= SMALL,
            decoder: MemberDecoder { limits, contents, is_loose: matches!(input.what, What::Folder(_)) },
        }
    }

    /// Decodes a member if there is time left, and adds the result.
    pub(super) fn decode(&self, member: &Member<'_>) {
        let Member { number, mesh, ref item, .. } = *member;
        let ReadRequest { limits, ref deadline, .. } = *self.request;
        let mut work = Work::new(limits.asset_work, deadline.clone());
        let mut over = deadline.over();
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
        let Some(mesh) = mesh else { return lock(&self.results).add(number, decoded, asset) };
        lock(&self.results).add(number, None, asset);
        let result = MeshResult { number, entry: item.name.clone(), decoded };
        // An asset may use its own budget in any case. The excess is below one charge.
        let units = work.done().min(limits.asset_work);
        let known = lock(&self.work).charge(mesh, units, result);
        known.into_iter().for_each(|mesh| lock(&self.results).add(mesh.number, mesh.decoded, None));
    }

    /// Returns the content of a member. A mesh is decoded only while work is left.
    fn look_into(
        &self,
        item: &Item,
        is_mesh: bool,
        work: &mut Work,
    ) -> (Option<Decoded>, Option<AssetFacts>) {
        let left_out = is_mesh && lock(&self.work).is_spent();
        let mut decode = || (!left_out).then(|| self.decoder.decode_caught(item, work));
        if !item.kind.is_asset() {
            return (decode(), None);
        }
        let (asset, failure) = assets::of_item(item, self.decoder.contents);
        let decoded = match item.kind {
            Kind::Text => failure.map(|defect| Decoded::defect(*defect)),
            _ => decode(),
        };
        (decoded, Some(asset))
    }
}

pub(super) struct Member<'scope> {
    pub(super) number: u64,
    /// The number of the mesh or scene among the meshes and scenes. `None` for other kinds.
    pub(super) mesh: Option<u64>,
    pub(super) item: Item,
    /// Held until the member is decoded.
    pub(super) _ticket: Option<Ticket<'scope>>,
}

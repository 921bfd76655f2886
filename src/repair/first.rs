//! The first member of a name.

use hullmark_format::member::Kind;
use hullmark_source::{Input, Item, ReadRequest, Visitor, Wants, reread};

/// A member as it is in an archive.
pub(crate) struct FirstMember {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether no member comes before it.
    pub(crate) is_first: bool,
}

/// Returns the first member with a wanted name.
pub(crate) fn first_member(
    input: &Input,
    request: &ReadRequest<'_>,
    is_stopped: &dyn Fn() -> bool,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<FirstMember> {
    let mut search = Search { is_wanted, members: 0, found: None, is_stopped };
    reread(input, request, &mut search);
    search.found
}

struct Search<'v> {
    is_wanted: &'v dyn Fn(&str) -> bool,
    members: u64,
    found: Option<FirstMember>,
    is_stopped: &'v dyn Fn() -> bool,
}

impl Visitor for Search<'_> {
    fn wants(&mut self, name: &str, _kind: Kind, _bytes: u64) -> Wants {
        self.members += 1;
        if (self.is_wanted)(name) { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.found.is_some() || (self.is_stopped)()
    }

    fn item(&mut self, Item { name, bytes, .. }: Item) {
        self.found.get_or_insert(FirstMember { name, bytes, is_first: self.members == 1 });
    }
}

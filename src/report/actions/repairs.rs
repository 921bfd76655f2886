//! Repairs of what findings report: assets to bring along or to replace, physics models, linksets to split.
//!
//! A repair has no promised land impact. Equal repairs on objects of one owner and name share a row, and so do missing
//! assets of one kind.

use super::{ListedAction, Urgency};
use crate::{ReportedFinding, diff::BaselineStatus, findings::ReportedFindings};
use hullmark_analysis::{
    Measured,
    asset_uses::{self, User},
};
use hullmark_finding::{Code, Finding, Severity};
use hullmark_ledger::{
    facts::{ObjectFacts, Role},
    identity::file_name,
};
use hullmark_rules::{
    catalogue::{self, Effect, Reader, Rule},
    families::reference::is_there,
};
use hullmark_util::{
    escape::shortened,
    named,
    number_text::{counted, thousands},
};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use uuid::Uuid;

/// Maximum length of the name of an object.
const NAME: usize = 60;

named! {
    /// Kind of a repair.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Kind {
        /// Find assets that the input lacks, and bring them along.
        BringAsset = "bring_asset",
        /// Replace assets that cannot be used.
        ReplaceAsset = "replace_asset",
        /// Upload meshes with fewer hulls or vertices.
        ReduceHulls = "reduce_hulls",
        /// Upload meshes with another physics model.
        ReplacePhysics = "replace_physics",
        /// Split a linkset.
        Split = "split",
        /// Repair an object, a file or an input.
        Repair = "repair",
    }
}

/// Returns the kind of the repair that a finding calls for. `None` if it calls for none.
///
/// Findings about land are left out: the actions that lower land impact answer them.
fn kind(finding: &Finding, severity: Severity) -> Option<Kind> {
    let code = finding.code.name();
    let is_wrong = severity >= Severity::Error;
    match code {
        // People answer these by hand, not by a repair.
        "RUN002" | "RUN003" => None,
        "AST001" | "OBJ009" if is_wrong => Some(Kind::BringAsset),
        "HUL001" | "HUL002" if is_wrong => Some(Kind::ReduceHulls),
        "LNK001" | "LNK002" if is_wrong => Some(Kind::Split),
        "MSH008" if severity >= Severity::Warning => Some(Kind::ReplacePhysics),
        _ if !is_wrong => None,
        _ => match &code[..3] {
            "AST" | "HUL" | "MSH" => Some(Kind::ReplaceAsset),
            "CST" => None,
            _ => Some(Kind::Repair),
        },
    }
}

/// The findings that one repair mends.
struct Repair<'a> {
    kind: Kind,
    rule: &'static Rule,
    /// Message of its first finding.
    message: String,
    advice: &'static str,
    code: Code,
    severity: Severity,
    is_new: bool,
    /// The first object, with its index.
    first: Option<(usize, &'a ObjectFacts)>,
    /// The first asset.
    asset: Option<Uuid>,
    /// Name of the objects, kind of the assets, or path of the file.
    name: String,
    /// The assets, objects or files.
    subjects: HashSet<Subject<'a>>,
    /// Number of assets that the input lacks altogether. Their finding does not list them.
    whole_kind: usize,
    /// Number of objects that use missing assets.
    users: u64,
    uses: u64,
    weight: f64,
}

/// An asset, or an object by its entry and root, or a file.
type Subject<'a> = (Option<Uuid>, &'a str, Option<Uuid>);

/// Repairs with one key share a row: kind, rule, region, owner, name of the objects or kind of the assets, and advice.
type Key = (Kind, Code, Option<usize>, Option<Uuid>, String, &'static str);

/// Returns the repairs of an input by region, each list in order of severity and weight. `None` has those in no
/// region.
pub(super) fn by_region<'a>(
    measured: &'a Measured<'a>,
    reported: &ReportedFindings<'a>,
    address: &str,
) -> BTreeMap<Option<usize>, Vec<ListedAction<'a>>> {
    let mut repairs: BTreeMap<Key, Repair<'a>> = BTreeMap::new();
    let rows: Vec<(Kind, &ReportedFinding<'a>)> = reported
        .findings
        .iter()
        .filter(|row| row.waived().is_none())
        .filter_map(|row| Some((kind(row.finding, row.severity)?, row)))
        .collect();
    if rows.is_empty() {
        return BTreeMap::new();
    }
    let objects = Objects::new(measured);
    for (kind, row) in rows {
        add(measured, &objects, (kind, row), &mut repairs);
    }
    count_users(measured, repairs.values_mut().filter(|repair| repair.kind == Kind::BringAsset).collect());
    let mut by_region: BTreeMap<Option<usize>, Vec<ListedAction<'a>>> = BTreeMap::new();
    for ((_, _, region, ..), repair) in repairs {
        by_region.entry(region).or_default().push(repair.listed(measured, address));
    }
    for listed in by_region.values_mut() {
        // Stable: of equal repairs the order of kind, rule, owner and name stays.
        listed.sort_by(|a, b| {
            let by_severity =
                b.finding.map(|(_, severity)| severity).cmp(&a.finding.map(|(_, severity)| severity));
            by_severity.then_with(|| b.weight.total_cmp(&a.weight))
        });
    }
    by_region
}

/// Objects by their entry and root.
struct Objects<'a>(HashMap<(&'a str, Uuid), (usize, &'a ObjectFacts)>);

impl<'a> Objects<'a> {
    fn new(measured: &'a Measured<'a>) -> Self {
        let mut objects = HashMap::new();
        for (number, object) in measured.ledger.objects.iter().enumerate() {
            if let Some(root) = object.linkset.parts.first() {
                objects.entry((object.entry.as_str(), root.uuid)).or_insert((number, object));
            }
        }
        Self(objects)
    }

    /// Returns the object of a finding, or the first that uses its asset.
    fn of(&self, measured: &'a Measured<'a>, finding: &Finding) -> Option<(usize, &'a ObjectFacts)> {
        let place = &finding.place;
        let named = place.object.and_then(|root| self.0.get(&(place.entry.as_str(), root)).copied());
        let user = || match measured.uses.get(&place.asset?)?.first {
            User::Part(object, _) => {
                self.0.get(&(object.entry.as_str(), object.linkset.parts.first()?.uuid)).copied()
            }
            _ => None,
        };
        named.or_else(user)
    }
}

/// Adds a row of findings to its repair.
fn add<'a>(
    measured: &'a Measured<'a>,
    objects: &Objects<'a>,
    (kind, row): (Kind, &ReportedFinding<'a>),
    repairs: &mut BTreeMap<Key, Repair<'a>>,
) {
    let finding = row.finding;
    let first = objects.of(measured, finding);
    let root = first.and_then(|(_, object)| object.linkset.parts.first());
    let region = first.and_then(|(_, object)| object.region).map(|region| region as usize);
    // Findings without an object are of the only region.
    let only = (measured.regions.len() == 1).then_some(0);
    let region = region.filter(|&region| region < measured.regions.len()).or(only);
    let used = |asset: Uuid| measured.uses.get(&asset);
    let (owner, name) = match (kind, root) {
        (Kind::BringAsset, _) => (None, kind_of_asset(measured, finding)),
        (_, Some(root)) => (Some(root.owner), root.name.clone()),
        (_, None) => match finding.place.entry.as_str() {
            "" => (None, file_name(&measured.ledger.input).to_owned()),
            entry => (None, file_name(entry).to_owned()),
        },
    };
    let advice = advice(measured, finding, kind);
    let key = (kind, finding.code, region, owner, name.clone(), advice);
    let repair = repairs.entry(key).or_insert_with(|| Repair {
        kind,
        rule: catalogue::rule(finding.code),
        message: catalogue::message(finding),
        advice,
        code: finding.code,
        severity: row.severity,
        is_new: false,
        first,
        asset: finding.place.asset,
        name,
        subjects: HashSet::new(),
        whole_kind: 0,
        users: 0,
        uses: 0,
        weight: 0.0,
    });
    repair.severity = repair.severity.max(row.severity);
    repair.is_new |= row.baseline_status.is_some_and(BaselineStatus::is_new);
    for finding in row.findings() {
        repair.weight += finding.weight;
        match (kind, finding.place.asset) {
            (Kind::BringAsset, None) => {
                repair.whole_kind += missing_of_kind(measured, &finding.aspect).count();
                repair.uses += finding.measured.unwrap_or_default() as u64;
            }
            (_, Some(asset)) => {
                if repair.subjects.insert((Some(asset), "", None)) {
                    repair.uses += used(asset).map_or(0, |used| u64::from(used.count));
                }
            }
            (_, None) => _ = repair.subjects.insert((None, &finding.place.entry, finding.place.object)),
        }
    }
}

/// Returns the advice for the operator: the steps in a viewer, unless those are to ask the operator.
fn advice(measured: &Measured<'_>, finding: &Finding, kind: Kind) -> &'static str {
    let of = |reader| catalogue::advice(finding, reader, measured.profile);
    let steps = of(Reader::Owner);
    let is_for_operator = kind == Kind::BringAsset || steps.contains("the operator");
    if is_for_operator { of(Reader::Operator) } else { steps }
}

/// Returns the assets of a kind that the input uses and lacks.
fn missing_of_kind(measured: &Measured<'_>, kind: &str) -> impl Iterator<Item = Uuid> {
    let of_kind = measured.uses.iter().filter(move |(_, used)| used.kind == kind);
    of_kind.map(|(asset, _)| *asset).filter(|asset| !is_there(measured, *asset))
}

/// Returns the kind of a missing asset.
fn kind_of_asset(measured: &Measured<'_>, finding: &Finding) -> String {
    match finding.place.asset.and_then(|asset| measured.uses.get(&asset)) {
        Some(used) => used.kind.to_owned(),
        None => finding.aspect.to_string(),
    }
}

impl<'a> Repair<'a> {
    /// Returns the repair as a row without rank, parcel and sums.
    fn listed(self, measured: &'a Measured<'a>, address: &str) -> ListedAction<'a> {
        let count = self.subjects.len() + self.whole_kind;
        // A nested object has the place of its container, which is not known here.
        let object = self.first.map(|(_, object)| object);
        let placed = object.filter(|object| object.role != Role::Nested && self.kind != Kind::BringAsset);
        ListedAction {
            kind: self.kind.name(),
            urgency: self.urgency(),
            is_new: self.is_new,
            order: 0,
            rank: 0,
            region: object.and_then(|object| super::region_of(measured, object)),
            parcel: "",
            first: self.first.map(|(first, _)| first),
            object,
            objects: Vec::new(),
            count,
            edits: count,
            link_numbers: String::new(),
            land_impact: None,
            simulator: None,
            sum_after: None,
            capacity: None,
            finding: Some((self.code, self.severity)),
            asset: self.asset,
            weight: self.weight,
            urls: placed.map_or_else(Default::default, |object| super::urls(measured, object, address)),
            words: self.words(),
            problem: self.problem(),
            advice: self.advice,
            effect: self.consequence(),
            name: self.name,
        }
    }

    fn urgency(&self) -> Urgency {
        // What was not read is lost for everybody who trusts the report.
        let is_loss = self.kind == Kind::BringAsset
            || matches!(self.rule.effect, Effect::Stops | Effect::Loses)
            || self.code.name().starts_with("RUN");
        match self.severity {
            Severity::Blocker => Urgency::Blocker,
            Severity::Error if is_loss => Urgency::Loss,
            Severity::Error => Urgency::Error,
            Severity::Warning | Severity::Info => Urgency::Other,
        }
    }

    /// Returns what does not work, in one sentence.
    fn problem(&self) -> String {
        let found = |count: usize| match count {
            1 => self.message.clone(),
            count => format!("{} ({} ×)", self.rule.title, thousands(count as u64)),
        };
        match self.kind {
            Kind::BringAsset => self.consequence(),
            _ => format!("{}.", found(self.subjects.len()).trim_end_matches('.')),
        }
    }

    /// Returns what happens without the repair.
    fn consequence(&self) -> String {
        let assets = (self.subjects.len() + self.whole_kind) as u64;
        match self.kind {
            Kind::BringAsset => {
                let root = self.first.and_then(|(_, object)| object.linkset.parts.first());
                let users = match (self.users, root) {
                    (0, _) => String::new(),
                    (1, Some(root)) => format!(" in \"{}\"", shortened(&root.name, NAME)),
                    (users, _) => format!(" in {}", counted(users, "object")),
                };
                let verb = if assets == 1 { "does" } else { "do" };
                let (assets, fails) = (counted(assets, &self.name), what_fails(&self.name));
                format!("Without this, {assets}{users} {verb} not {fails}.")
            }
            _ => consequence(self.rule.effect).into(),
        }
    }

    /// Returns the problem, how often it matters, and what to do.
    fn words(&self) -> String {
        let uses = match self.uses {
            0 => String::new(),
            uses => format!(" ({})", counted(uses, "use")),
        };
        format!("{}{uses}. {}", self.rule.title, self.advice)
    }
}

/// Counts the objects that use the missing assets of each repair.
fn count_users(measured: &Measured<'_>, mut repairs: Vec<&mut Repair<'_>>) {
    let mut by_asset: HashMap<Uuid, Vec<usize>> = HashMap::new();
    for (number, repair) in repairs.iter().enumerate() {
        let mut add = |asset| by_asset.entry(asset).or_default().push(number);
        match repair.whole_kind {
            0 => repair.subjects.iter().filter_map(|&(asset, ..)| asset).for_each(&mut add),
            _ => missing_of_kind(measured, &repair.name).for_each(&mut add),
        }
    }
    if by_asset.is_empty() {
        return;
    }
    for object in &measured.ledger.objects {
        let of_assets = asset_uses::of_object(object).filter_map(|asset| by_asset.get(&asset));
        let of_object: BTreeSet<usize> = of_assets.flatten().copied().collect();
        of_object.into_iter().for_each(|number| repairs[number].users += 1);
    }
}

/// Returns what assets of a kind do not do while they are missing.
fn what_fails(kind: &str) -> &'static str {
    match kind {
        "animation" | "sound" | "gesture" => "play",
        "script" => "run",
        "landmark" => "lead anywhere",
        "notecard" => "open",
        "body part" | "piece of clothing" => "fit anybody",
        "texture" | "sculpt map" | "mesh" | "material" => "show",
        _ => "work",
    }
}

/// Returns what happens without a repair of a rule.
fn consequence(effect: Effect) -> &'static str {
    match effect {
        Effect::Stops => "Otherwise the load may stop here.",
        Effect::Loses => "Otherwise it does not arrive.",
        Effect::Changes => "Otherwise it arrives changed.",
        Effect::Overfills => "Otherwise it does not fit.",
        Effect::Breaks => "Otherwise it arrives and does not work, or is not seen.",
        Effect::Unknown => "Its effect on a move is unknown.",
        Effect::Note => "A move does not change it.",
    }
}

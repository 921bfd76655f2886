//! What is shown, as plain data: the one thing that text and JSON are written from.

use super::{mesh::MeshView, object::ObjectView};
use crate::{
    analysis::Measured,
    cli::{
        Settings,
        select_entry::{Head, Picked},
    },
    finding::{Finding, Severity},
    format::object::Part,
    ledger::facts::{MeshFacts, ObjectFacts},
    rules::catalogue,
    settings::profile::Grid,
};
use glam::DVec3;
use serde::Serialize;
use uuid::Uuid;

/// Everything that is shown. Its field names are a promise, as are those of everything below it.
#[derive(Debug, Serialize)]
pub(super) struct View {
    #[serde(flatten)]
    pub(super) head: Head,
    /// Meshes, in the order of the file.
    pub(super) meshes: Vec<MeshView>,
    /// Objects, in the order of the file.
    pub(super) objects: Vec<ObjectView>,
    /// Findings about the file that belong to none of these.
    pub(super) findings: Vec<FindingView>,
}

/// A finding, with its sentence made.
#[derive(Debug, Clone, Serialize)]
pub(super) struct FindingView {
    /// How bad it is for the target grid.
    pub(super) severity: Severity,
    /// Code of the rule.
    pub(super) code: &'static str,
    /// What the rule is about.
    pub(super) title: &'static str,
    /// What was found.
    pub(super) message: String,
    /// What was measured.
    pub(super) measured: Option<f64>,
    /// What it was measured against.
    pub(super) limit: Option<f64>,
    /// Unit of both.
    pub(super) unit: Option<&'static str>,
    /// The member that it is about.
    pub(super) entry: String,
    /// UUID of the part.
    pub(super) part_uuid: Option<Uuid>,
    /// Link number of the part.
    pub(super) link_number: Option<i32>,
    /// UUID of the asset.
    pub(super) asset_uuid: Option<Uuid>,
    /// What to do about it.
    pub(super) advice: &'static str,
}

impl FindingView {
    fn new(severity: Severity, finding: &Finding, grid: Grid) -> Self {
        let (rule, place) = (catalogue::rule(finding.code), &finding.place);
        let numbers = finding.measured.is_some() || finding.limit.is_some();
        Self {
            severity,
            code: finding.code.name(),
            title: rule.title,
            message: catalogue::message(finding),
            measured: finding.measured,
            limit: finding.limit,
            unit: (numbers && !rule.unit.is_empty()).then_some(rule.unit),
            entry: place.entry.clone(),
            part_uuid: place.part,
            link_number: place.link_number,
            asset_uuid: place.asset,
            advice: rule.advice(grid),
        }
    }
}

impl View {
    /// Joins facts, measures and findings.
    pub(super) fn new(
        measured: &Measured<'_>,
        picked: &Picked,
        findings: &[(Severity, Finding)],
        scale: DVec3,
        settings: &Settings,
    ) -> Self {
        let ledger = measured.ledger;
        let mut shared = Shared::new(picked, findings, measured.profile.grid());
        let meshes = ledger.meshes.iter().filter(|mesh| picked.meshes.contains(&mesh.entry));
        let meshes: Vec<_> = meshes
            .map(|mesh| {
                MeshView::new(mesh, scale, measured.profile, shared.take(|at| at.entry == mesh.entry))
            })
            .collect();
        let objects = measured.objects().map(|(object, measures)| {
            let findings = shared.of_object(measured, object);
            ObjectView::new(measured, object, measures, findings)
        });
        let objects: Vec<_> = objects.collect();
        Self { head: picked.head(findings, settings), meshes, objects, findings: shared.rest() }
    }
}

/// Findings to be assigned to their subjects.
struct Shared<'a> {
    grid: Grid,
    findings: Vec<(&'a (Severity, Finding), bool)>,
}

impl<'a> Shared<'a> {
    /// Findings about what is shown.
    fn new(picked: &Picked, findings: &'a [(Severity, Finding)], grid: Grid) -> Self {
        let findings = findings.iter().filter(|(_, finding)| picked.concerns(&finding.place.entry));
        Self { grid, findings: findings.map(|finding| (finding, false)).collect() }
    }

    /// Those that a condition holds for.
    fn take(&mut self, about: impl Fn(&crate::finding::Place) -> bool) -> Vec<FindingView> {
        let mut taken = Vec::new();
        for (finding, reported) in &mut self.findings {
            let (severity, finding) = *finding;
            if about(&finding.place) {
                *reported = true;
                taken.push(FindingView::new(*severity, finding, self.grid));
            }
        }
        taken
    }

    /// Those about an object and about the meshes that it uses. A finding of a document with one object is
    /// about that one.
    fn of_object(&mut self, measured: &Measured<'_>, object: &ObjectFacts) -> Vec<FindingView> {
        let root = object.linkset.parts.first().map(|root| root.uuid);
        let alone = measured.ledger.objects.iter().filter(|other| other.entry == object.entry).count() == 1;
        let meshes = object.linkset.parts.iter().filter_map(Part::mesh);
        let meshes: Vec<&MeshFacts> = meshes.filter_map(|uuid| measured.assets.mesh(uuid)).collect();
        self.take(|at| {
            at.entry == object.entry && (alone || at.object.is_some() && at.object == root)
                || meshes.iter().any(|mesh| mesh.entry == at.entry)
        })
    }

    /// Those that nobody took.
    fn rest(self) -> Vec<FindingView> {
        let rest = self.findings.into_iter().filter(|(_, reported)| !reported);
        rest.map(|((severity, finding), _)| FindingView::new(*severity, finding, self.grid)).collect()
    }
}

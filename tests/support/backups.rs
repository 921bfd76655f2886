//! Daily backups of a region, and the findings about their history.

use crate::support::{
    archive::{Archive, control, control_of_many, settings},
    desk::Desk,
    object::{Prim, uuid, xml2},
};
use hullmark_scan::{order::is_in_sample, plan::share::Share};

/// A region with this number of objects and of assets. Each asset has `bytes` bytes.
pub(crate) struct Backup {
    pub(crate) objects: u32,
    pub(crate) assets: u32,
    pub(crate) bytes: usize,
    pub(crate) created: &'static str,
}

/// A backup without faults.
pub(crate) const WHOLE: Backup = Backup { objects: 40, assets: 20, bytes: 9, created: "1500000000" };

impl Backup {
    pub(crate) fn archive(&self) -> Archive {
        let control = control(&uuid(0x4e4e_4e4e, 9), "256,256").replace("1500000000", self.created);
        let region = Archive::new(&control).add("settings/Here.xml", settings("1"));
        let region = region.flat_ground("terrains/Here.r32", 256);
        let region = (0..self.objects).fold(region, |region, number| {
            region.add(&format!("objects/{number}.xml"), xml2(&[Prim::new("Box", 100 + number)]))
        });
        (0..self.assets).fold(region, |region, number| {
            region.add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, number)), vec![b'n'; self.bytes])
        })
    }

    pub(crate) fn gzip(&self) -> Vec<u8> {
        self.archive().gzip()
    }
}

/// Returns the name of the backup of a day, as AutoBackup writes it: the tenth sorts before the ninth.
pub(crate) fn backup_name(day: u32) -> String {
    format!("Here_2026y_11M_{day}d_4h_0m_7s.oar")
}

/// Returns the findings of the family HIS in a report: archive, code and message.
pub(crate) fn history_findings(desk: &Desk, report: &str) -> Vec<[String; 3]> {
    let column = |name| desk.column(report, "findings", name);
    let rows = column("archive").into_iter().zip(column("code")).zip(column("message"));
    rows.map(|((archive, code), message)| [archive, code, message])
        .filter(|[_, code, _]| code.starts_with("HIS"))
        .collect()
}

/// Returns an archive of several regions, from the name and the number of objects of each.
pub(crate) fn archive_of_regions(regions: &[(&str, u32)]) -> Archive {
    let id = |name: &str| uuid(0x4e4e_4e4e, u32::from(name.as_bytes()[0]));
    let listed: Vec<_> = regions.iter().map(|(name, _)| (id(name), format!("1_1_{name}"))).collect();
    let cells = listed.iter().map(|(id, folder)| Some((&**id, &**folder, "256,256"))).collect();
    let mut archive = Archive::new(&control_of_many(&[cells]));
    for (name, objects) in regions {
        let folder = format!("regions/1_1_{name}");
        archive = archive
            .add(&format!("{folder}/settings/{name}.xml"), settings("1"))
            .flat_ground(&format!("{folder}/terrains/{name}.r32"), 256);
        for number in 0..*objects {
            let prim = Prim::new("Box", 1000 * u32::from(name.as_bytes()[0]) + number);
            archive = archive.add(&format!("{folder}/objects/{number}.xml"), xml2(&[prim]));
        }
    }
    archive.add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note")
}

/// Returns the value of `--sample` for a share that takes the first inputs and leaves out the others.
pub(crate) fn sample_flag(takes: &[&str], leaves: &[&str]) -> Option<String> {
    let shares = (1..2000).flat_map(|of| [format!("1/{of}"), format!("{of}/{of}")]);
    shares.into_iter().find(|words| {
        let share: Share = words.parse().unwrap();
        takes.iter().all(|name| is_in_sample(share, name))
            && !leaves.iter().any(|name| is_in_sample(share, name))
    })
}

//! Makes archives as OpenSim writes them, and members that it does not write.

use flate2::{Compression, write::GzEncoder};
use hullmark_repair::TarWriter;
use std::io::Write;

/// Members in order.
#[derive(Debug, Clone, Default)]
pub struct Archive {
    pub members: Vec<(String, Vec<u8>)>,
}

impl Archive {
    /// Creates an archive that begins with this control file.
    pub fn new(control: &str) -> Self {
        Self::default().add("archive.xml", control)
    }

    /// Adds a member. A name that ends with a slash is a directory.
    pub fn add(mut self, name: &str, content: impl AsRef<[u8]>) -> Self {
        self.members.push((name.into(), content.as_ref().to_vec()));
        self
    }

    /// Adds flat terrain for a region with sides of this many metres.
    pub fn flat_ground(self, name: &str, side: usize) -> Self {
        self.add(name, 21.0_f32.to_le_bytes().repeat(side * side))
    }

    /// Returns the plain tar.
    pub fn tar(&self) -> Vec<u8> {
        let mut tar = TarWriter::new(Vec::new());
        self.members.iter().for_each(|(name, content)| tar.add(name, content).unwrap());
        tar.finish().unwrap()
    }

    /// Returns the archive as OpenSim saves it.
    pub fn gzip(&self) -> Vec<u8> {
        gzip(&self.tar())
    }
}

/// Compresses with gzip, without a time stamp.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(6));
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Appends a member of any type and name, which no writer of archives makes.
pub fn write_member(out: &mut Vec<u8>, name: &str, kind: u8, content: &[u8]) {
    let mut header = [0_u8; 512];
    let kept = name.len().min(100);
    header[..kept].copy_from_slice(&name.as_bytes()[..kept]);
    header[100..108].copy_from_slice(b"0000777\0");
    header[124..136].copy_from_slice(format!("{:011o}\0", content.len()).as_bytes());
    header[136..148].copy_from_slice(b"00000000000\0");
    header[148..156].fill(b' ');
    header[156] = kind;
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    out.extend(header);
    out.extend(content);
    out.resize(out.len().next_multiple_of(512), 0);
}

/// Returns `archive.xml` of a single region.
pub fn control(region: &str, size: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<archive major_version=\"0\" minor_version=\"8\">\n  \
         <creation_info>\n    <datetime>1500000000</datetime>\n    <id>{region}</id>\n  </creation_info>\n  \
         <assets_included>True</assets_included>\n  <region_info>\n    <is_megaregion>False</is_megaregion>\n    \
         <size_in_meters>{size}</size_in_meters>\n  </region_info>\n</archive>"
    )
}

/// A region of several: its UUID, its folder and its size. `None` is a gap.
pub type Cell<'a> = Option<(&'a str, &'a str, &'a str)>;

/// Returns `archive.xml` of several regions: rows from south to north.
pub fn control_of_many(rows: &[Vec<Cell<'_>>]) -> String {
    let region = |region: &Cell<'_>| match region {
        None => "<region/>".to_owned(),
        Some((id, folder, size)) => format!(
            "<region><id>{id}</id><dir>{folder}</dir><size_in_meters>{size}</size_in_meters></region>"
        ),
    };
    let rows: String =
        rows.iter().map(|row| format!("<row>{}</row>", row.iter().map(region).collect::<String>())).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?><archive major_version=\"1\" minor_version=\"0\">\
         <creation_info><datetime>1500000000</datetime></creation_info>\
         <assets_included>True</assets_included><regions>{rows}</regions></archive>"
    )
}

/// Returns a settings file. OpenSim reads it only with white space between the elements.
pub fn settings(object_bonus: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<RegionSettings>\n<General>\n<AllowDamage>False</AllowDamage>\n\
         <DisablePhysics>False</DisablePhysics>\n<MaturityRating>1</MaturityRating>\n<AgentLimit>40</AgentLimit>\n\
         <ObjectBonus>{object_bonus}</ObjectBonus>\n</General>\n<GroundTextures>\n</GroundTextures>\n<Terrain>\n\
         <WaterHeight>20</WaterHeight>\n</Terrain>\n</RegionSettings>"
    )
}

/// Returns a parcel that covers the cells for which `covers(x, y)` is true. The region has `cells` cells on each side.
pub fn parcel(
    uuid: &str,
    name: &str,
    owner: &str,
    cells: usize,
    covers: impl Fn(usize, usize) -> bool,
) -> String {
    let mut bitmap = vec![0_u8; cells * cells / 8];
    for cell in 0..cells * cells {
        if covers(cell % cells, cell / cells) {
            bitmap[cell / 8] |= 1 << (cell % 8);
        }
    }
    let area = 16 * bitmap.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let bitmap = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, bitmap);
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?><LandData><Area>{area}</Area><GlobalID>{uuid}</GlobalID>\
         <IsGroupOwned>False</IsGroupOwned><Bitmap>{bitmap}</Bitmap><Name>{name}</Name><OwnerID>{owner}</OwnerID>\
         <UserLocation>&lt;128, 128, 22&gt;</UserLocation></LandData>"
    )
}

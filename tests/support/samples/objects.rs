//! Loose objects.

use super::{File, mesh_uuid};
use crate::support::object::{Prim, xml2};

pub(super) fn all() -> Vec<File> {
    let row = |count: u32, step: f64| -> Vec<Prim> {
        (0..count)
            .map(|i| Prim {
                offset: [step * f64::from(i), 0.0, 0.0],
                ..Prim::new(&format!("Prim {i}"), 100 + i)
            })
            .collect()
    };
    let physical = |parts: Vec<Prim>| -> Vec<Prim> {
        parts.into_iter().map(|part| Prim { flags: "Physics", ..part }).collect()
    };
    let mut ship = physical(row(3, 2.0));
    ship[1].scale = [65.0, 2.0, 0.5];
    ship[2].scale = [0.5, 0.5, 70.0];
    let balloon =
        Prim { scale: [10.0; 3], torus: true, physics_shape_type: Some(2), ..Prim::new("Balloon", 21) };
    let mut porch = row(2, 1.0);
    porch[0].physics_shape_type = Some(1);
    let missing_mesh = Prim { mesh: Some(mesh_uuid(77)), ..Prim::new("Ghost", 20) };
    let cut = xml2(&row(3, 1.0));
    let broken_state = "<KeyframeMotion>not base64!</KeyframeMotion></SceneObjectGroup>";
    let named = |name: &str, text: String| (name.to_owned(), text.into_bytes());
    vec![
        named("sixty-metres-across.xml", xml2(&row(2, 60.0))),
        named("exactly-54-metres-across.xml", xml2(&row(2, 54.0))),
        named("just-below-54-metres.xml", xml2(&row(2, 53.999))),
        named("linkset-of-256-prims.xml", xml2(&row(256, 0.1))),
        named("linkset-of-255-prims.xml", xml2(&row(255, 0.1))),
        named("physical-linkset-of-33-prims.xml", xml2(&physical(row(33, 0.5)))),
        named("physical-linkset-of-32-prims.xml", xml2(&physical(row(32, 0.5)))),
        named("physical-ship-with-a-mast-of-70-metres.xml", xml2(&ship)),
        named("physical-balloon.xml", xml2(&physical(vec![balloon]))),
        named("root-of-shape-none.xml", xml2(&porch)),
        named("mesh-is-missing.xml", xml2(&[missing_mesh])),
        named("cut-in-its-last-part.xml", cut[..cut.len() - 400].to_owned()),
        named("saved-scene.xml", format!("<scene>{}{}</scene>", xml2(&row(1, 0.0)), xml2(&row(2, 1.0)))),
        named("control-character.xml", xml2(&row(1, 0.0)).replace("Prim 0", "Prim \u{1}0")),
        named("decimal-comma.xml", xml2(&row(1, 0.0)).replace("<Scale><X>0.5", "<Scale><X>0,5")),
        named("word-for-a-path.xml", xml2(&row(1, 0.0)).replace("<PathCurve>", "<PathCurve>bent ")),
        named(
            "linkset-data-are-broken.xml",
            xml2(&row(1, 0.0))
                .replace("</SceneObjectGroup>", "<lnkstdt>not base64!</lnkstdt></SceneObjectGroup>"),
        ),
        named("required-fields-missing.xml", without_required_fields(&xml2(&row(1, 0.0)))),
        named("state-is-broken.xml", xml2(&row(1, 0.0)).replace("</SceneObjectGroup>", broken_state)),
        named(
            "endless-rotation.xml",
            xml2(&row(1, 0.0))
                .replace("<RotationOffset><X>0</X>", "<RotationOffset><!-- no turn --><X>0</X>"),
        ),
        named("link-number-twice.xml", xml2(&row(3, 1.0)).replace("<LinkNum>3", "<LinkNum>2")),
    ]
}

/// Returns the object without the shape, the size, the position and the rotation of its parts.
fn without_required_fields(xml: &str) -> String {
    ["Shape", "Scale", "GroupPosition", "RotationOffset"].iter().fold(xml.to_owned(), |xml, field| {
        xml.replace(&format!("<{field}>"), "<Lost>").replace(&format!("</{field}>"), "</Lost>")
    })
}

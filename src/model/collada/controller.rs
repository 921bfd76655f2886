//! Skins: the joints of a geometry, and their influence on its vertices.

use super::{
    document::Element,
    geometry::{Mesh, input},
    size,
    source::Sources,
    text::{exactly, integers, short},
};
use crate::{
    charge, over_limit,
    scene::{Face, Influences, Node, Skin},
    weld::key,
};
use glam::{DMat4, Mat4};
use hullmark_format::defect::ModelDefect;
use hullmark_util::work::Work;
use std::{collections::HashMap, rc::Rc};

/// Influences on a vertex that count.
const MOST_INFLUENCES: usize = 4;

/// Units of work for a byte in a list of names. The shortest name takes two, and forty in memory.
const NAME_BYTE: u64 = 24;
/// Units of work for a vertex, which is found by its position.
const VERTEX: u64 = 128;

/// Returns the geometry of a skin, or `None` if the skin is on another controller.
///
/// # Errors [`ModelDefect::Unreadable`] if there is no such element, [`ModelDefect::Unsupported`] for another file.
pub(super) fn geometry_of<'d>(skin: Element<'d>) -> Result<Option<Element<'d>>, ModelDefect> {
    if skin.named("source", "controller").is_ok() {
        return Ok(None);
    }
    skin.named("source", "geometry").map(Some)
}

/// Places a rigged geometry, without regard to nodes that have its controller (`LLDAELoader::processDomModel`).
///
/// # Errors Any [`ModelDefect`] of the skin.
pub(super) fn rigged(
    skin: Element<'_>,
    mesh: &Mesh,
    placement: DMat4,
    sources: &mut Sources,
    work: &mut Work,
) -> Result<Node, ModelDefect> {
    let joints = joints(skin, sources, work)?;
    let weights = weights(skin, mesh, joints.joints.len(), sources, work)?;
    let vertices: usize = mesh.faces.iter().map(|face| face.vertices.len()).sum();
    charge(work, size(mesh) + vertices as u64 * VERTEX)?;
    let rigged = |face: &Face| {
        let of = |position| weights.get(&key(position)).cloned().unwrap_or_default();
        let influences = face.vertices.iter().map(|vertex| of(vertex.position.to_array())).collect();
        Face { influences, ..face.clone() }
    };
    let faces = mesh.faces.iter().map(rigged).collect();
    Ok(Node { name: mesh.name.clone(), faces, placement, skin: Some(joints), ..Node::default() })
}

fn joints(skin: Element<'_>, sources: &mut Sources, work: &mut Work) -> Result<Skin, ModelDefect> {
    let list = skin.child("joints").ok_or_else(|| unreadable("a skin without joints"))?;
    let names =
        input(list, "JOINT").ok_or_else(|| unreadable("joints without names"))?.named("source", "source")?;
    let is_names =
        |child: &Element<'_>| matches!(child.name(), "Name_array" | "IDREF_array" | "SIDREF_array");
    let names = names.children().find(is_names).map_or("", Element::text);
    charge(work, names.len() as u64 * NAME_BYTE)?;
    let names: Vec<String> = names.split_ascii_whitespace().map(str::to_owned).collect();
    if names.len() > usize::from(u16::MAX) {
        return Err(over_limit("joints"));
    }
    let matrices = match input(list, "INV_BIND_MATRIX") {
        Some(input) => sources.of(input, work)?,
        None => Rc::default(),
    };
    let (matrices, _) = matrices.as_chunks::<16>();
    if matrices.len() != names.len() {
        let why = format!("{} inverse bind matrices for {} joints", matrices.len(), names.len());
        return Err(ModelDefect::Unreadable { why });
    }
    // The loader multiplies with the matrix only if the skin has one.
    let bind_shape = match skin.child("bind_shape_matrix") {
        Some(matrix) => exactly::<16>(matrix.text(), work)?,
        None => Mat4::IDENTITY.to_cols_array(),
    };
    if !matrices.as_flattened().iter().chain(&bind_shape).all(|number| number.is_finite()) {
        return Err(ModelDefect::NotFinite);
    }
    Ok(Skin {
        joints: names,
        inverse_bind: matrices.iter().map(by_rows).collect(),
        bind_shape: by_rows(&bind_shape),
    })
}

/// Returns the influences on each position. If positions are equal, the last one counts (`LLModel::mSkinWeights`). In the
/// viewer, positions closer than a hundred-thousandth of the size share influences, too. Here they do not.
///
/// # Errors [`ModelDefect::Unreadable`] if numbers do not agree (`LLDAELoader::verifyController`);
/// [`ModelDefect::IndicesOutside`]; [`ModelDefect::NotFinite`]; [`ModelDefect::OverLimit`].
fn weights(
    skin: Element<'_>,
    mesh: &Mesh,
    joints: usize,
    sources: &mut Sources,
    work: &mut Work,
) -> Result<HashMap<[u32; 3], Influences>, ModelDefect> {
    let list = skin.child("vertex_weights").ok_or_else(|| unreadable("a skin without weights"))?;
    let weights = input(list, "WEIGHT").ok_or_else(|| unreadable("a skin without weights"))?;
    let weights = sources.of(weights, work)?;
    let text = |name| list.child(name).map_or("", Element::text);
    let counts = integers(text("vcount"), work)?;
    let pairs = integers(text("v"), work)?;
    let (positions, _) = mesh.positions.as_chunks::<3>();
    charge(work, positions.len() as u64 * VERTEX)?;
    let stated = list.attribute("count").unwrap_or("0");
    if stated.trim().parse() != Ok(counts.len()) || counts.len() != positions.len() {
        let (positions, counts) = (positions.len(), counts.len());
        let stated = short(stated);
        let why = format!("weights for {stated} vertices, counts for {counts}, positions of {positions}");
        return Err(ModelDefect::Unreadable { why });
    }
    // The loader takes pairs of a joint and a weight, in this order, without regard to offsets.
    let inputs = list.children().filter(|child| child.name() == "input").count();
    let (pairs, rest) = pairs.as_chunks::<2>();
    let sum: u64 = counts.iter().map(|&count| u64::try_from(count).unwrap_or(u64::from(u32::MAX))).sum();
    if inputs != 2 || sum != pairs.len() as u64 || !rest.is_empty() {
        return Err(unreadable("the weights of a skin are not pairs of a joint and a weight"));
    }
    let mut pairs = pairs.iter();
    let mut found = HashMap::with_capacity(positions.len());
    for (&position, count) in positions.iter().zip(counts) {
        let influences = (&mut pairs).take(usize::try_from(count).unwrap_or(0));
        let influences =
            influences.map(|&pair| influence(pair, joints, &weights)).filter_map(Result::transpose);
        found.insert(key(position), heaviest(influences.collect::<Result<_, _>>()?));
    }
    Ok(found)
}

/// Returns the influence of a pair; `None` if it belongs to the bind shape.
fn influence(
    [joint, weight]: [i32; 2],
    joints: usize,
    weights: &[f32],
) -> Result<Option<(u16, f32)>, ModelDefect> {
    if joint == -1 {
        return Ok(None);
    }
    let joint = u16::try_from(joint).ok().filter(|&joint| usize::from(joint) < joints);
    let weight = usize::try_from(weight).ok().and_then(|weight| weights.get(weight));
    match (joint, weight) {
        (Some(joint), Some(&weight)) if weight.is_finite() => Ok(Some((joint, weight))),
        (Some(_), Some(_)) => Err(ModelDefect::NotFinite),
        _ => Err(ModelDefect::IndicesOutside),
    }
}

/// Returns the four heaviest influences, with a total of 1.
fn heaviest(mut influences: Influences) -> Influences {
    influences.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    influences.truncate(MOST_INFLUENCES);
    influences.retain(|(_, weight)| *weight > 0.0);
    let total: f32 = influences.iter().map(|(_, weight)| weight).sum();
    let scale = 1.0 / total;
    if scale != 1.0 {
        influences.iter_mut().for_each(|(_, weight)| *weight *= scale);
    }
    influences
}

/// Returns the matrix whose rows are written one after the other.
pub(super) fn by_rows(numbers: &[f32; 16]) -> Mat4 {
    Mat4::from_cols_array(numbers).transpose()
}

fn unreadable(why: &str) -> ModelDefect {
    ModelDefect::Unreadable { why: why.into() }
}

// The view of one mesh: its picture, and its facts at a size. The library computes every number.
"use strict";

const meshView = (() => {
/** The mesh that is shown, its size in metres, and its parts. */
let open;
/** The picture that turns; `null` if the browser has no WebGL. */
let picture;
/** Whether facts are being computed, and whether they are out of date. */
let isAsking = false, isStale = false;

const SIDES = ["x", "y", "z"];

/** Fills the choice between the report and the meshes of the inputs. */
function offer(meshes) {
  open = undefined;
  at("subject").replaceChildren(new Option("Report", ""));
  for (const [input, name] of meshes) {
    const option = new Option(name.split("/").pop(), "mesh");
    option.title = name;
    option.mesh = { input, name };
    at("subject").append(option);
  }
  at("subject-choice").hidden = meshes.length === 0;
}

at("subject").onchange = event => attempt(async () => {
  const { mesh } = event.target.selectedOptions[0];
  open = undefined;
  busy(true);
  try {
    if (mesh) {
      const own = await session.mesh("openMesh", mesh.input, mesh.name);
      // Sizes of models are 32-bit numbers, which have seven digits.
      const size = own ? [...own].map(side => Number(side.toPrecision(6))) : [1, 1, 1];
      open = { name: mesh.name, scale: size, proportions: size };
      await draw();
      offerParts();
      picture?.begin();
    }
  } catch (error) {
    open = undefined;
    event.target.value = "";
    throw error;
  } finally {
    busy(false);
    at("mesh").hidden = !open;
    at("report").hidden = Boolean(open);
  }
  if (open) await resize(open.scale);
});

/** Shows the first mesh instead of the report. */
function openFirst() {
  at("subject").selectedIndex = 1;
  at("subject").dispatchEvent(new Event("change"));
}

/** Shows the chosen mesh again, for another target: limits and costs differ. */
async function show() {
  at("mesh").hidden = !open;
  at("report").hidden = Boolean(open);
  if (!open) return;
  await draw();
  await tell();
}

/** Returns the bytes of a file of the mesh at its size, for the target of the report. */
function ofMesh(method) {
  return session.mesh(method, shown.target, shown.profile, open.scale);
}

/** Fills the picture with the parts of the mesh, or tells why there are none. */
async function draw() {
  startPicture();
  at("mesh-name").textContent = open.name;
  let why = "";
  try {
    open.parts = partsOf(await ofMesh("meshGlb"));
  } catch (error) {
    if (error.isEnd) throw error;
    open.parts = [];
    why = error.message;
  }
  at("mesh-download").disabled = why !== "";
  if (picture) picture.parts = open.parts;
  await drawStill(why);
}

/** Shows the still picture where nothing can turn, or why there is none. */
async function drawStill(why) {
  const svg = picture || why ? "" : await ofMesh("meshSvg");
  at("mesh-canvas").hidden = !picture || why !== "";
  at("mesh-parts").hidden = !picture || why !== "";
  at("mesh-still").hidden = svg === "";
  at("mesh-still").src = svg && `data:image/svg+xml,${encodeURIComponent(svg)}`;
  at("mesh-no-picture").hidden = picture && why === "";
  at("mesh-no-picture").textContent = why ||
    (svg ? "This browser has no WebGL, so the picture does not turn."
      : "This browser has no WebGL, and the mesh has no hull for the still picture.");
}

/** Creates the picture that turns, once. */
function startPicture() {
  if (picture !== undefined) return;
  try {
    picture = new MeshPicture(at("mesh-canvas"));
    picture.shows = isShown;
    at("mesh-canvas").addEventListener("webglcontextlost", () => {
      picture = null;
      if (open) attempt(() => drawStill(""));
    });
  } catch {
    picture = null;
  }
}

/** Returns the group of a part: a level, `hulls`, `base hull` or `physics triangles`. */
function groupOf(part) {
  if (part.group === "levels of detail") return `level ${part.facts.name.replace("_lod", "")}`;
  if (part.group === "hulls") return "hulls";
  return part.facts.hullmark_purpose === "triangles" ? "physics triangles" : "base hull";
}

function isShown(part) {
  const group = groupOf(part);
  if (group.startsWith("level ")) return group === at("mesh-level").value;
  return document.querySelector(`[data-group="${group}"]`).checked;
}

/** Fills the choice of parts. Hulls are shown first, or what the mesh has instead of them. */
function offerParts() {
  const groups = new Set(open.parts.map(groupOf));
  const levels = [...groups].filter(group => group.startsWith("level "));
  at("mesh-level").replaceChildren(...levels.map(level => new Option(level.slice(6), level)), new Option("none", ""));
  const first = ["hulls", "physics triangles", "base hull"].find(group => groups.has(group));
  for (const box of document.querySelectorAll("[data-group]")) {
    box.disabled = !groups.has(box.dataset.group);
    box.checked = box.dataset.group === first;
  }
}

for (const box of document.querySelectorAll("#mesh-parts input, #mesh-parts select")) {
  box.onchange = () => {
    picture.hasEdges = at("mesh-edges").checked;
    picture.draw();
  };
}

// The size. The slider keeps the proportions.

function showSize(except) {
  const { scale } = open;
  const longest = Math.max(...scale);
  if (except !== "mesh-size") at("mesh-size").value = Math.log10(longest);
  at("mesh-size").ariaValueText = `${longest} m`;
  SIDES.forEach((side, axis) => {
    if (except !== `mesh-${side}`) at(`mesh-${side}`).value = scale[axis];
  });
  if (picture) picture.scale = scale;
}

/** Sets the size. `from` is the field that the person changes, which is left alone. */
async function resize(scale, from) {
  open.scale = scale;
  showSize(from);
  await tell();
  if (!picture) await drawStill("");
}

at("mesh-size").oninput = event => {
  const factor = 10 ** Number(event.target.value) / Math.max(...open.proportions);
  // Millimetres are enough for a side, and short to read.
  const scale = open.proportions.map(side => Math.max(0.001, Math.round(side * factor * 1000) / 1000));
  attempt(() => resize(scale, "mesh-size"));
};
SIDES.forEach((side, axis) => {
  at(`mesh-${side}`).oninput = event => {
    const metres = event.target.valueAsNumber;
    const scale = open.scale.map((old, other) => other === axis ? metres : old);
    if (!(metres > 0)) return;
    open.proportions = scale;
    attempt(() => resize(scale, `mesh-${side}`));
  };
});

at("mesh-download").onclick = () => attempt(async () => {
  download(`${open.name.split("/").pop()}.glb`, await ofMesh("meshGlb"));
});

// The facts.

/** Shows the facts at the size. While they are computed, further changes wait, and only the last counts. */
async function tell() {
  isStale = true;
  if (isAsking) return;
  isAsking = true;
  try {
    while (isStale && open) {
      isStale = false;
      const facts = JSON.parse(await ofMesh("meshFacts"));
      if (open) at("mesh-tables").replaceChildren(...meshTables(facts));
    }
  } finally {
    isAsking = false;
  }
}

return { offer, openFirst, show };
})();

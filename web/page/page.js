// The page: choose files, wait, read the report.
"use strict";

const at = id => document.getElementById(id);

/** The value of the option that asks for a profile file. */
const FILE = "file";

/** The files of a model. Whoever drops only these asks about its parts. */
const OF_MODEL = /\.(glb|gltf|dae|bin|png|jpe?g)$/i;

/** Words for the report, where a profile has only a description. */
const TARGETS = { "none": "None: OpenSimulator loads, published limits", "second-life": "Second Life", "opensim-ubode": "OpenSimulator, ubODE",
  "opensim-bulletsim": "OpenSimulator, BulletSim" };

let session;
/** The target of the shown report. */
let shown = { target: "none", profile: "" };
/** Number of the run. Answers of earlier runs are ignored. */
let run = 0;

/** Shows one part of the page. */
function show(part) {
  at("choose").hidden = part !== "choose";
  at("work").hidden = part !== "work";
  at("answer").hidden = at("report").hidden = part !== "report";
  at("mesh").hidden = true;
}

function say(words, isError = false) {
  at("message").textContent = words;
  at("message").className = isError ? "error" : "";
}

/** Returns bytes for people. */
function megabytes(bytes) {
  return `${(bytes / 1e6).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} MB`;
}

/** Audits files: reads them in a new worker, then shows the report. */
async function audit(files) {
  const own = ++run;
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  if (files.length === 0) return say("There is no file. Drop an archive, an object or a mesh.", true);
  session?.end();
  say("");
  show("work");
  at("what").textContent = `Reading ${files.length === 1 ? files[0].path : `${files.length} files`}`;
  at("progress").max = bytes || 1;
  progress(0, bytes);
  try {
    session = new Session(read => own === run && progress(read, bytes));
    const { incomplete, targets, meshes } = await session.read(files);
    if (own !== run) return;
    offer(targets);
    meshView.offer(meshes);
    at("what").textContent = "Evaluating";
    await judge(shown);
    if (own !== run) return;
    say(incomplete.length ? `Not read to the end: ${incomplete.join(", ")}. The report says why.` : "");
    if (meshes.length > 0 && files.every(({ path }) => OF_MODEL.test(path))) meshView.openFirst();
  } catch (error) {
    if (own === run) fail(error);
  }
}

function progress(bytes, all) {
  at("progress").value = bytes;
  at("bytes").textContent = `${megabytes(Math.min(bytes, all))} of ${megabytes(all)}`;
}

/** Fills the choice of targets. */
function offer(targets) {
  if (at("target").options.length > 0) return;
  for (const [name, description] of targets) {
    const option = new Option(TARGETS[name] ?? name, name);
    option.title = description;
    at("target").append(option);
  }
  at("target").append(new Option("Profile file …", FILE));
}

/** Evaluates for a target, and shows the report. */
async function judge(target) {
  const own = run;
  busy(true);
  try {
    const bytes = await session.report(target.target, target.profile, "audit.html");
    if (own !== run) return;
    shown = target;
    // A new frame for each report: in an old one, the Back button would lead to the report before.
    const frame = at("report").cloneNode();
    const address = URL.createObjectURL(new Blob([bytes], { type: "text/html" }));
    frame.onload = () => URL.revokeObjectURL(address);
    frame.src = address;
    at("report").replaceWith(frame);
    show("report");
    await meshView.show();
  } finally {
    if (own === run) busy(false);
  }
}

function busy(is) {
  for (const element of at("answer").elements) element.disabled = is && element.id !== "again";
}

/** Shows an error. After the end of its worker, the page starts anew. */
function fail(error) {
  say(error.message, true);
  if (at("answer").hidden || error.isEnd) reset();
}

function reset() {
  at("report").removeAttribute("src");
  session?.end();
  session = undefined;
  busy(false);
  show("choose");
}

function download(name, bytes) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes]));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** Runs a task of the report's buttons. */
async function attempt(task) {
  say("");
  try {
    await task();
  } catch (error) {
    at("target").value = shown.profile ? FILE : shown.target;
    fail(error);
  }
}

at("files").onclick = () => at("file-input").click();
at("folder").onclick = () => at("folder-input").click();
for (const id of ["file-input", "folder-input"]) {
  at(id).onchange = event => {
    const files = filesOf(event.target);
    event.target.value = "";
    audit(files);
  };
}

document.ondragover = event => {
  event.preventDefault();
  document.body.classList.add("over");
};
document.ondragleave = event => event.relatedTarget ?? document.body.classList.remove("over");
document.ondrop = async event => {
  event.preventDefault();
  document.body.classList.remove("over");
  try {
    audit(await droppedFiles(event.dataTransfer));
  } catch (error) {
    say(`The browser cannot read what was dropped: ${error.message}`, true);
  }
};

at("stop").onclick = () => {
  run++;
  reset();
  say("Stopped. Nothing was evaluated.");
};
at("again").onclick = () => {
  run++;
  reset();
  say("");
};

at("target").onchange = event => {
  const target = event.target.value;
  if (target !== FILE) return attempt(() => judge({ target, profile: "" }));
  event.target.value = shown.profile ? FILE : shown.target;
  at("profile-input").click();
};
at("profile-input").onchange = event => {
  const [file] = event.target.files;
  attempt(async () => {
    const profile = await file.text();
    event.target.value = "";
    await judge({ target: file.name, profile });
    at("target").lastChild.text = `Profile file: ${file.name}`;
    at("target").value = FILE;
  });
};

for (const button of document.querySelectorAll("[data-file]")) {
  button.onclick = () => attempt(async () => {
    busy(true);
    try {
      const { file } = button.dataset;
      const { name, bytes } = file === "ledger"
        ? await session.ledgers()
        : { name: file, bytes: await session.report(shown.target, shown.profile, file) };
      download(name, bytes);
    } finally {
      busy(false);
    }
  });
}

// Offline use. A page from a disk needs no service worker.
if (location.protocol.startsWith("http")) navigator.serviceWorker?.register("offline.js").catch(() => {});

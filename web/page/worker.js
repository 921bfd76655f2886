// Runs in each worker, behind the bindings of the library (`wasm_bindgen`).
"use strict";

/** Milliseconds between reports of progress. */
const INTERVAL = 100;

/** Bytes in buffers that are no longer in use, until the browser is asked to free them. */
const MOST_LEFT = 8e6;

/** Bytes of a buffer that is never written to, and so takes no memory. Browsers free others when they count that many. */
const UNUSED = 256 << 20;

let session;
let lastReport = 0;
let left = 0;

self.reportPanic = words => postMessage({ panic: words });

self.reportProgress = bytes => {
  const now = performance.now();
  if (now - lastReport < INTERVAL) return;
  lastReport = now;
  postMessage({ progress: bytes });
};

self.leaveBuffer = bytes => {
  left += bytes;
  if (left < MOST_LEFT) return;
  left = 0;
  try {
    new ArrayBuffer(UNUSED);
  } catch {
    // There is no room for it, so the browser has just freed all that it can.
  }
};

const pathsOf = files => files.map(({ path }) => path);
const blobsOf = files => files.map(({ file }) => file);

const CALLS = {
  start({ module }) {
    wasm_bindgen.initSync({ module });
    session = new wasm_bindgen.Session();
    return JSON.parse(wasm_bindgen.targets());
  },
  archives: ({ files }) => [...wasm_bindgen.archives(pathsOf(files), blobsOf(files))],
  read: ({ files, except }) => session.read(pathsOf(files), blobsOf(files), except),
  /** Hands all ledgers over, as bytes. */
  take() {
    const ledgers = [];
    for (let bytes; (bytes = session.take()); ) ledgers.push(bytes);
    return ledgers;
  },
  add({ ledgers }) {
    for (const bytes of ledgers) session.add(bytes);
  },
  report: ({ target, profile, file }) => session.report(target, profile, file),
  meshes: () => JSON.parse(session.meshes()),
  /** Takes the files from which the mesh of the view is read again. */
  hold: ({ files }) => session.hold(pathsOf(files), blobsOf(files)),
  mesh: ({ method, given }) => session[method](...given),
  ledgers: () => ({ name: session.ledgersName(), bytes: session.ledgers() }),
};

onmessage = ({ data }) => {
  try {
    const answer = CALLS[data.call](data);
    // The bytes of a report move to the page without a copy.
    postMessage({ answer }, answer instanceof Uint8Array ? [answer.buffer] : []);
  } catch (error) {
    // The library refuses with a sentence. Anything else has ended WebAssembly.
    postMessage(typeof error === "string" ? { refused: error } : { dead: String(error) });
  }
};

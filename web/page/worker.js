// Runs in the worker, behind the bindings of the library (`wasm_bindgen`).
"use strict";

/** Milliseconds between reports of progress. */
const INTERVAL = 100;

let session;
let lastReport = 0;

self.reportPanic = words => postMessage({ panic: words });

self.reportProgress = bytes => {
  const now = performance.now();
  if (now - lastReport < INTERVAL) return;
  lastReport = now;
  postMessage({ progress: bytes });
};

const CALLS = {
  read({ module, files, trees }) {
    wasm_bindgen.initSync({ module });
    session = new wasm_bindgen.Session();
    for (const { name, file } of files) session.file(name, file);
    for (const { name, names, files } of trees) session.tree(name, names, files);
    const incomplete = session.read();
    return { incomplete, targets: JSON.parse(wasm_bindgen.targets()), meshes: JSON.parse(session.meshes()) };
  },
  report: ({ target, profile, file }) => session.report(target, profile, file),
  mesh: ({ method, given }) => session[method](...given),
  ledgers: () => ({ name: session.ledgersName(), bytes: session.ledgers() }),
};

onmessage = ({ data }) => {
  try {
    postMessage({ answer: CALLS[data.call](data) });
  } catch (error) {
    // The library refuses with a sentence. Anything else has ended WebAssembly.
    postMessage(typeof error === "string" ? { refused: error } : { dead: String(error) });
  }
};

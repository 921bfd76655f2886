// Runs in each worker, behind the bindings of the library (`wasm_bindgen`).
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

const pathsOf = files => files.map(({ path }) => path);
const blobsOf = files => files.map(({ file }) => file);

const CALLS = {
  start({ module }) {
    wasm_bindgen.initSync({ module });
    return JSON.parse(wasm_bindgen.targets());
  },
  archives: ({ files }) => [...wasm_bindgen.archives(pathsOf(files), blobsOf(files))],
  read({ files, except }) {
    const reading = wasm_bindgen.read(pathsOf(files), blobsOf(files), except);
    const ledgers = reading.names().map((name, number) => ({ name, bytes: reading.take(number) }));
    return { ledgers, incomplete: reading.incomplete() };
  },
  keep({ ledgers }) {
    session = new wasm_bindgen.Session();
    for (const { name, bytes } of ledgers) session.keep(name, bytes);
  },
  report: ({ target, profile, file }) => session.report(target, profile, file),
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

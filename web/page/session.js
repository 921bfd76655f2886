// A worker with the library in it, and what is asked of it.
"use strict";

/** Unpacks the library and compiles it, once. */
const compiled = (async () => {
  const packed = Uint8Array.from(atob(ENGINE.wasm), letter => letter.charCodeAt(0));
  ENGINE.wasm = "";
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
})();
// Whoever awaits it reports the failure.
compiled.catch(() => {});

// A worker of a blob has the policy of this page. One with an address of its own would have none.
const WORKER = URL.createObjectURL(new Blob([ENGINE.worker], { type: "text/javascript" }));

class Session {
  #worker = new Worker(WORKER);
  #waiting = [];
  #panic = "";

  /** `onProgress` gets the number of bytes that were read. */
  constructor(onProgress) {
    this.#worker.onmessage = ({ data }) => {
      if ("progress" in data) onProgress(data.progress);
      else if ("panic" in data) this.#panic = data.panic;
      else if ("dead" in data) this.#die(data.dead);
      else if ("refused" in data) this.#waiting.shift()?.failed(new Error(data.refused));
      else this.#waiting.shift()?.done(data.answer);
    };
    this.#worker.onerror = event => {
      event.preventDefault();
      this.#die(event.message || "the worker ended");
    };
  }

  /** Reads inputs, and returns the names of those that were not read to their end. */
  async read(inputs) {
    const { files, trees } = inputs;
    return this.#ask({ call: "read", module: await compiled, files, trees });
  }

  /** Returns the bytes of a file of the report. */
  report(target, profile, file) {
    return this.#ask({ call: "report", target, profile, file });
  }

  /** Returns the name and the bytes of the ledgers. */
  ledgers() {
    return this.#ask({ call: "ledgers" });
  }

  /** Calls a function about meshes. */
  mesh(method, ...given) {
    return this.#ask({ call: "mesh", method, given });
  }

  /** Ends the worker at once, with its memory. */
  end() {
    this.#worker.terminate();
    this.#waiting = [];
  }

  #ask(message) {
    return new Promise((done, failed) => {
      this.#waiting.push({ done, failed });
      this.#worker.postMessage(message);
    });
  }

  /** Rejects all that waits: WebAssembly cannot go on after a panic. */
  #die(words) {
    const why = this.#panic
      ? `hullmark has met an error of its own (${this.#panic}). Please report it with these words.`
      : `The work ended early (${words}). Perhaps the memory of the browser is at its end. ` +
        "Audit fewer or smaller files, or use the hullmark command.";
    const error = Object.assign(new Error(why), { isEnd: true });
    for (const { failed } of this.#waiting) failed(error);
    this.end();
  }
}

// Chosen and dropped files → inputs of the library.
"use strict";

/** The file that shows that a folder is an unpacked archive. */
const CONTROL = "archive.xml";

/** Returns the files of an input element, each with its path. */
function filesOf(input) {
  return [...input.files].map(file => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Returns the dropped files, with those in folders. */
async function droppedFiles(transfer) {
  // The list is empty after the event, so the entries come first.
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = [];
  for (const entry of entries) await collect(entry, "", files);
  return files;
}

async function collect(entry, folder, files) {
  const path = folder + entry.name;
  if (entry.isFile) {
    files.push({ path, file: await new Promise((done, failed) => entry.file(done, failed)) });
    return;
  }
  const reader = entry.createReader();
  // A folder is listed in parts.
  for (;;) {
    const part = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (part.length === 0) return;
    for (const inner of part) await collect(inner, `${path}/`, files);
  }
}

/** Divides files into unpacked archives, which are read as one input each, and single files. */
function inputsOf(files) {
  const isControl = path => path.endsWith(`/${CONTROL}`);
  let roots = files.filter(({ path }) => isControl(path)).map(({ path }) => path.slice(0, -CONTROL.length));
  roots = roots.filter(root => !roots.some(outer => outer !== root && root.startsWith(outer)));
  const rootOf = path => roots.find(root => path.startsWith(root));
  const trees = roots.map(root => {
    const members = files.filter(({ path }) => path.startsWith(root));
    return {
      name: root.slice(0, -1),
      names: members.map(({ path }) => path.slice(root.length)),
      files: members.map(({ file }) => file),
    };
  });
  const single = files.filter(({ path }) => !rootOf(path)).map(({ path, file }) => ({ name: path, file }));
  return { files: single, trees, bytes: files.reduce((sum, { file }) => sum + file.size, 0) };
}

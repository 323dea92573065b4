// Imports documents from a file that is chosen or dropped: JSON, lines of JSON, or CSV.

import {
  Exact, address, brief, bytes, count, h, heading, keepsNumbers, load, messages, nothing, parse, readOnly, rounding, send, table, write,
} from "./base.js";

/// Bytes of a file, documents of a request and its characters, and rows of the preview.
const [fileByteCount, batchCount, batchLength, shownCount] = [64e6, 500, 4e6, 10];

export async function importing(options) {
  const collection = options.get("collection") ?? "_default";
  const index = await load("/index.json");
  const back = h("p", { class: "sub" }, h("a", { href: address("/collection", { collection }) }, collection));
  if (!index.write) return { title: "Import", content: [heading("Import"), back, nothing(readOnly("import documents"))] };
  const [problem, complain] = messages();
  const preview = h("div", { id: "preview" });
  const look = async (file) => {
    complain();
    preview.replaceChildren(h("p", { class: "sub", role: "status" }, "reading…"));
    try {
      if (!keepsNumbers) throw new Error(rounding);
      if (file.size > fileByteCount) {
        throw new Error(`the file has ${bytes(file.size)}; the studio imports at most ${bytes(fileByteCount)}. Use divan import.`);
      }
      preview.replaceChildren(...offer(collection, documents(file.name, await file.text())));
    } catch (error) {
      preview.replaceChildren();
      complain(`${file.name}: ${error.message}`);
    }
  };
  const choice = h("input", { id: "import-file", type: "file", accept: ".json,.jsonl,.ndjson,.csv,application/json,text/csv",
    "aria-label": "File", onchange: () => choice.files[0] && look(choice.files[0]) });
  const area = h("div", { id: "drop", class: "drop",
    ondragover: (event) => { event.preventDefault(); area.classList.add("over"); },
    ondragleave: () => area.classList.remove("over"),
    ondrop: (event) => {
      event.preventDefault();
      area.classList.remove("over");
      if (event.dataTransfer.files[0]) look(event.dataTransfer.files[0]);
    } }, h("p", {}, "Drop a JSON, JSON Lines or CSV file here, or choose one."), choice);
  return { title: "Import", content: [heading("Import"), back, area, problem, preview] };
}

// MARK: Reading

/// The documents of a file, each with an ID: `_id` or `id`, or a generated one.
export function documents(name, text) {
  const found = /\.csv$/i.test(name) ? titled(text) : /^\s*\[/.test(text) ? list(text) : lines(text);
  if (!found.length) throw new Error("there are no documents in the file");
  return found.map(({ line, doc }) => {
    if (doc === null || typeof doc !== "object" || Array.isArray(doc) || doc instanceof Exact) {
      throw new Error(`${line}: a document must be a JSON object`);
    }
    const { _id, ...rest } = doc;
    const key = _id ?? doc.id;
    return { id: key == null || key === "" ? crypto.randomUUID() : brief(key), doc: rest };
  });
}

const list = (text) => parse(text).map((doc, index) => ({ line: "item " + (index + 1), doc }));

/// A document in each line; or else a single one.
function lines(text) {
  const found = text.split("\n").map((line, index) => [line.trim(), "line " + (index + 1)]).filter(([line]) => line);
  try {
    return found.map(([line, place]) => {
      try { return { line: place, doc: parse(line) }; } catch (error) { throw new Error(`${place}: ${error.message}`); }
    });
  } catch (problem) {
    try { return [{ line: "the file", doc: parse(text) }]; } catch { throw problem; }
  }
}

/// The rows of a table below its titles; a value that is JSON, other than a text, is read as such.
function titled(text) {
  const [titles, ...rows] = fields(text.replace(/^\uFEFF/, ""));
  const value = (field) => /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|\[[^]*\]|\{[^]*\})$/.test(field) ? json(field) : field;
  return rows.map((row, index) => ({ line: "row " + (index + 2),
    doc: Object.fromEntries(titles.map((title, column) => [title, row[column]]).filter(([title, field]) => title && field)
      .map(([title, field]) => [title, title === "_id" ? field : value(field)])) }));
}

function json(field) {
  try { return parse(field); } catch { return field; }
}

/// The rows of a CSV text; throws an error with the line of a quote that is not closed.
export function fields(text) {
  const rows = [];
  let row = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;
  while (field.lastIndex < text.length) {
    const start = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new Error(`line ${text.slice(0, start).split("\n").length}: a quote is not closed, or in the middle of a value`);
    row.push(match[1] == null ? match[2] : match[1].replaceAll('""', '"'));
    if (match[3] === ",") {
      if (field.lastIndex === text.length) row.push("");
      continue;
    }
    if (match[0] !== match[3] || row.length > 1) rows.push(row);
    row = [];
  }
  if (row.length) rows.push(row);
  return rows;
}

// MARK: Saving

/// The first documents, and the button that imports all.
function offer(collection, found) {
  const keys = [...new Set(found.slice(0, shownCount).flatMap(({ doc }) => Object.keys(doc)))].slice(0, 8);
  const replace = h("input", { type: "checkbox", id: "replace" });
  const progress = h("div", { id: "progress", role: "status" });
  const start = h("button", { class: "main", id: "import", onclick: async () => {
    start.disabled = true;
    await save(collection, found, replace.checked, progress);
  } }, "Import " + count(found.length, "document"));
  return [
    table([["ID", (row) => row.id], ...keys.map((key) => [key, (row) => Object.hasOwn(row.doc, key) ? brief(row.doc[key]) : ""])],
      found.slice(0, shownCount)),
    found.length > shownCount ? h("p", { class: "sub" }, `The first ${shownCount} of ${count(found.length, "document")}`) : null,
    h("div", { class: "bar" }, h("label", {}, replace, "Replace existing documents"), start), progress,
  ].filter(Boolean);
}

/// Sends the documents in batches, and shows how far they are.
async function save(collection, found, replaces, area) {
  const bar = h("progress", { max: found.length, value: 0, "aria-label": "Progress" });
  area.replaceChildren(bar);
  const total = { saved: 0, skipped: 0, failed: [] };
  const show = (...more) => area.replaceChildren(
    h("p", { id: "imported" }, `${count(total.saved, "document")} saved, ${total.skipped} skipped, ${total.failed.length} not saved. `,
      h("a", { href: address("/collection", { collection }) }, "Show the collection")),
    ...total.failed.slice(0, 20).map(({ id, reason }) => h("p", { class: "note bad" }, `${id ?? "document"}: ${reason}`)), ...more);
  try {
    for (let at = 0; at < found.length;) {
      const batch = [];
      for (let length = 0; at < found.length && batch.length < batchCount && length < batchLength; at += 1) {
        batch.push(write(found[at]));
        length += batch.at(-1).length;
      }
      const text = `{"replace":${replaces},"documents":[${batch.join(",")}]}`;
      const answer = await send("POST", address("/import.json", { collection }), text);
      total.saved += answer.saved;
      total.skipped += answer.skipped;
      total.failed.push(...answer.failed);
      bar.value = at;
    }
    show();
  } catch (error) {
    show(h("p", { class: "note bad", role: "alert" }, "The import stopped: " + error.message));
  }
}

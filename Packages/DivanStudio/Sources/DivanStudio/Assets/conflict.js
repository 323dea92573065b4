// A conflict: the common ancestor and both sides, next to each other, and their merge.

import { brief, h, heading, keepsNumbers, load, messages, open, place, readOnly, rounding, send, tag, write } from "./base.js";
import { marked } from "./differences.js";
import { editor } from "./editor.js";

export async function conflict(options) {
  const [collection, id] = [options.get("collection") ?? "_default", options.get("id") ?? ""];
  const page = await load(place(collection, id, "/conflict.json"));
  return { title: id, content: [heading(id, tag("in conflict", "bad")), decision(page)] };
}

const has = (side, key) => Object.hasOwn(side, key);
const isEqual = (a, b, key) => has(a, key) === has(b, key) && (!has(a, key) || write(a[key]) === write(b[key]));

function decision(page) {
  const [problem, complain] = messages();
  // A side that is kept is only named, because the browser may have rounded its numbers.
  const settle = async (member, text) => {
    complain();
    const body = `{"local":${JSON.stringify(page.local.rev)},"remote":${JSON.stringify(page.remote.rev)},"${member}":${text}}`;
    try {
      await send("POST", place(page.collection, page.id, "/conflict.json"), body);
      open(place(page.collection, page.id));
    } catch (error) {
      complain(error.message);
    }
  };
  const keep = (name, revision) => h("button", { id: "keep-" + name, onclick: () => settle("keep", JSON.stringify(name)) },
    `Keep ${name}` + (revision.deleted ? " (delete)" : ""));
  if (page.local.deleted && page.remote.deleted) {
    return [h("p", {}, "Both sides deleted this document, in different revisions."), problem, page.write
      ? h("div", { class: "bar" }, h("button", { class: "main", id: "keep-local", onclick: () => settle("keep", '"local"') }, "Confirm the deletion"))
      : h("p", { class: "sub" }, readOnly("resolve conflicts"))];
  }
  const merge = editor("Merged document as JSON", page.merged === null ? "" : write(page.merged), { id: "merge", mayBeEmpty: true });
  const accept = () => {
    if (!keepsNumbers) return complain(rounding);
    if (merge.check()) settle("doc", merge.field.value.trim() || "null");
  };
  return [
    page.base ? null : h("p", { class: "sub" }, "The common ancestor is not available."),
    h("div", { class: "scroll" }, sides(page, merge)),
    h("h2", {}, "Merged document"),
    h("p", { class: "sub" }, "Choose a side of each difference, or edit the text. Leave it empty to delete the document."),
    merge.element, problem,
    page.write ? h("div", { class: "bar" }, h("button", { class: "main", id: "accept", onclick: accept }, "Save merged"),
      keep("local", page.local), keep("remote", page.remote))
      : h("p", { class: "sub" }, readOnly("resolve conflicts")),
  ];
}

/// A row for each property; those that differ have a choice, which is written to the merge.
function sides(page, merge) {
  const [ours, theirs, base] = [page.local.doc ?? {}, page.remote.doc ?? {}, page.base?.doc ?? {}];
  const merged = page.merged ?? {};
  const keys = [...new Set([base, ours, theirs].flatMap(Object.keys))].sort();
  const choice = Object.create(null);
  const compose = () => {
    const result = Object.create(null);
    for (const key of keys) {
      const side = choice[key] === "local" ? ours : choice[key] === "remote" ? theirs : merged;
      if (has(side, key)) result[key] = side[key];
    }
    merge.fill(write(result));
  };
  const ancestor = (key) => h("td", { "data-title": "Base" }, has(base, key) ? brief(base[key]) : "—");
  const cell = (key, name, side) => {
    const text = has(side, key) ? brief(side[key]) : "—";
    const parts = !page.base || isEqual(side, base, key) || !has(base, key) || !has(side, key) ? [text] : marked(text, brief(base[key]));
    const radio = h("input", { type: "radio", name: "field-" + key, "aria-label": `${key}: ${name}`,
      checked: page.merged !== null && has(side, key) && isEqual(side, merged, key), onchange: () => { choice[key] = name; compose(); } });
    return h("td", { "data-title": name }, h("label", {}, radio, h("span", {}, parts, page.base ? change(side, base, key) : null)));
  };
  const row = (key) => {
    const differs = !isEqual(ours, theirs, key);
    return h("tr", { class: differs ? "differs" : null }, h("th", { scope: "row" }, key), ancestor(key),
      differs ? [cell(key, "local", ours), cell(key, "remote", theirs)]
        : h("td", { colspan: 2, class: "sub", "data-title": "both" }, has(ours, key) ? brief(ours[key]) : "—",
          page.base ? change(ours, base, key) : null));
  };
  const title = (name, revision) => h("th", { scope: "col" }, name, revision?.deleted ? " (deleted)" : "", h("br"),
    revision ? h("code", {}, revision.rev.slice(0, 18)) : null);
  return h("table", { class: "fields" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Field"),
      title("Base", page.base), title("Local", page.local), title("Remote", page.remote))),
    h("tbody", {}, keys.map(row)));
}

/// What a side did with a property, in a word.
function change(side, base, key) {
  if (isEqual(side, base, key)) return null;
  return [" ", tag(!has(base, key) ? "added" : !has(side, key) ? "removed" : "changed", has(side, key) ? "good" : "bad")];
}

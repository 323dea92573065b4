// The pages: each is a function from the address's options to the page's content.

import {
  address, brief, bytes, coloured, h, heading, keepsNumbers, load, nothing, open, place, send, table, tag, write,
} from "./base.js";
import { graph, vectors } from "./drawing.js";

/// A page of another module, which is loaded with its first visit.
const from = (module, name) => async (options) => (await import(module))[name](options);
const option = (options, name) => options.get(name);

export const pages = {
  "/": async () => {
    const index = await load("/index.json");
    const rows = index.collections;
    return {
      title: index.name,
      watches: () => true,
      content: [
        heading(index.name, tag(index.write ? "read-write" : "read-only"),
          tag(index.scheme === "vectors" ? "version vectors" : "revision trees")),
        table([
          ["Collection", (row) => h("a", { href: address("/collection", { collection: row.name }) }, row.name)],
          ["Documents", (row) => Number(row.count).toLocaleString("en"), "number"],
          ["Sequence", (row) => Number(row.sequence).toLocaleString("en"), "number"],
          ["Conflicts", (row) => row.conflicts ? h("a", { href: "/conflicts" }, row.conflicts) : "–", "number"],
          ["Indexes", (row) => row.indexes || "–", "number"],
        ], rows),
      ],
    };
  },

  "/collection": from("./collection.js", "collection"),

  "/document": async (options) => {
    const [collection, id] = [option(options, "collection") ?? "_default", option(options, "id") ?? ""];
    const page = await load(place(collection, id, "/document.json"));
    const resolve = page.conflict
      ? h("a", { class: "button", href: place(collection, id, "/conflict") }, "Resolve conflict") : null;
    const body = h("div", { id: "body" }, page.deleted ? nothing("This document is deleted.") : coloured(write(page.doc)));
    return {
      title: page.id,
      watches: (change) => change.collection === page.collection && change.id === page.id
        && change.rev !== page.rev,
      content: [
        heading(page.id, page.conflict ? tag("in conflict", "bad") : null, page.deleted ? tag("deleted") : null),
        h("p", { class: "sub" }, h("a", { href: address("/collection", { collection }) }, page.collection),
          ` · sequence ${page.sequence} · ${bytes(page.bytes)} · `, h("code", {}, page.rev)),
        page.write && !page.deleted ? editor(page, body, resolve) : resolve && h("div", { class: "bar" }, resolve),
        h("div", { class: "columns" },
          body,
          h("div", {}, h("h2", {}, "Revisions"),
            page.revisions.length ? h("div", { class: "scroll" }, graph(page.revisions)) : null,
            page.revisions.some((revision) => revision.vector) ? vectors(page.revisions, h) : null,
            page.blobs.length ? [h("h2", {}, "Blobs"), page.blobs.map((blob) => figure(page, blob))] : null)),
      ],
    };
  },

  "/new": async (options) => {
    const collection = option(options, "collection") ?? "_default";
    const index = await load("/index.json");
    return { title: "New document", content: [heading("New document"), h("p", { class: "sub" },
      h("a", { href: address("/collection", { collection }) }, collection)),
    index.write ? composer(collection) : nothing("This studio is read-only. To make changes, start it with divan studio --write.")] };
  },

  "/conflicts": async () => {
    const page = await load("/conflicts.json");
    return {
      title: "Conflicts",
      watches: () => true,
      content: [heading("Conflicts"), page.conflicts.length
        ? table([
          ["Document", (row) => h("a", { href: place(row.collection, row.id, "/conflict") }, row.id)],
          ["Collection", (row) => row.collection],
        ], page.conflicts)
        : nothing("No conflicts")],
    };
  },

  "/conflict": async (options) => {
    const [collection, id] = [option(options, "collection") ?? "_default", option(options, "id") ?? ""];
    const page = await load(place(collection, id, "/conflict.json"));
    return { title: id, content: [heading(id, tag("in conflict", "bad")), decision(page)] };
  },

  "/changes": async () => {
    const page = await load("/changes.json");
    const body = h("tbody", { "aria-live": "polite" });
    const row = (change, fresh) => h("tr", { class: fresh ? "fresh" : null },
      h("td", { class: "number" }, change.sequence),
      h("td", {}, h("a", { href: place(change.collection, change.id) }, change.id)),
      h("td", {}, change.collection),
      h("td", {}, h("code", {}, change.rev.slice(0, 14)), change.deleted ? tag("deleted") : null,
        change.conflict ? tag("in conflict", "bad") : null));
    body.append(...page.changes.map((change) => row(change, false)));
    return {
      title: "Changes",
      onChange: (change) => {
        body.prepend(row(change, true));
        while (body.children.length > 500) body.lastChild.remove();
      },
      content: [heading("Changes"), h("p", { class: "sub" }, "Newest first. New changes appear automatically."),
        h("div", { class: "scroll" }, h("table", { id: "changes" }, h("thead", {}, h("tr", {},
          ["Sequence", "Document", "Collection", "Revision"].map((title) => h("th", { scope: "col" }, title)))), body))],
    };
  },

  "/query": from("./query.js", "query"),

  "/indexes": async () => {
    const page = await load("/indexes.json");
    return { title: "Indexes", content: [heading("Indexes"), page.indexes.length
      ? table([
        ["Index", (row) => row.name], ["Collection", (row) => row.collection], ["Kind", (row) => row.kind],
        ["Expression", (row) => h("code", {}, row.source)],
      ], page.indexes)
      : nothing("No indexes. To create one, run divan index make.")] };
  },

  "/peers": async () => {
    // Loaded here, so that no other page waits for it.
    const [{ process, room }, page, index] = await Promise.all(
      [import("./peers.js"), load("/peers.json"), load("/index.json")]);
    return { title: "Peers", every: 2000, content: [heading("Peers"), page.processes.length
      ? [h("div", { class: "scroll" }, room(index.name, page.processes, page.others ?? [])), page.processes.map(process)]
      : nothing("No process is serving or syncing this database.")] };
  },
};

// MARK: A document

const rounding = "This browser would round large numbers. Use a newer browser, or divan edit.";

function figure(page, blob) {
  const source = place(page.collection, page.id, "/blob") + "&" + new URLSearchParams({ pointer: blob.pointer });
  const note = `${blob.pointer} · ${typeof blob.type === "string" ? blob.type : "unknown type"} · ${bytes(blob.length)}`;
  if (!blob.here) return h("figure", {}, h("figcaption", {}, note + " · content not downloaded"));
  if (!blob.readable) return h("figure", {}, h("figcaption", {}, note + " · content cannot be read"));
  return h("figure", {},
    blob.picture ? h("img", { class: "picture", src: source, alt: "Image at " + blob.pointer, loading: "lazy" }) : null,
    h("figcaption", {}, note + " · ", h("a", { href: source, download: "blob" }, "download")));
}

/// The buttons above a document, and their error messages.
function editor(page, body, resolve) {
  const field = h("textarea", { class: "tall", "aria-label": "The document as JSON", spellcheck: "false" });
  const problem = h("div", { role: "alert" });
  const shown = [...body.childNodes];
  const complain = (text) => problem.replaceChildren(h("p", { class: "note bad" }, text));
  const done = () => open(place(page.collection, page.id));
  const bar = h("div", { class: "bar" });
  const address = place(page.collection, page.id, "/document.json") + "&" + new URLSearchParams({ rev: page.rev });
  const close = () => { problem.replaceChildren(); body.replaceChildren(...shown); bar.replaceChildren(...buttons); };
  const save = h("button", { class: "main", id: "save", onclick: async () => {
    try { JSON.parse(field.value); } catch (error) { return complain(error.message); }
    try { await send("PUT", address, field.value); done(); } catch (error) { complain(error.message); }
  } }, "Save");
  const edit = h("button", { id: "edit", onclick: () => {
    if (!keepsNumbers) return complain(rounding);
    field.value = write(page.doc);
    body.replaceChildren(field);
    bar.replaceChildren(save, h("button", { onclick: close }, "Cancel"));
    field.focus();
  } }, "Edit");
  const remove = h("button", { class: "bad", onclick: async () => {
    if (!confirm("Delete “" + page.id + "”? The deletion will sync to all peers.")) return;
    try { await send("DELETE", address, "{}"); done(); } catch (error) { complain(error.message); }
  } }, "Delete");
  const buttons = [edit, remove, resolve].filter(Boolean);
  bar.append(...buttons);
  return [bar, problem];
}

function composer(collection) {
  const name = h("input", { id: "filter", placeholder: "ID (empty: generate one)", "aria-label": "Document ID",
    size: 40, spellcheck: "false" });
  const field = h("textarea", { class: "tall", "aria-label": "The document as JSON", spellcheck: "false" });
  field.value = "{\n  \n}";
  const problem = h("div", { role: "alert" });
  const complain = (text) => problem.replaceChildren(h("p", { class: "note bad" }, text));
  const save = h("button", { class: "main", id: "save", onclick: async () => {
    try { JSON.parse(field.value); } catch (error) { return complain(error.message); }
    const id = name.value || crypto.randomUUID();
    try { await send("PUT", place(collection, id, "/document.json"), field.value); } catch (error) { return complain(error.message); }
    open(place(collection, id));
  } }, "Save");
  return [h("div", { class: "bar" }, name, save,
    h("a", { class: "button", href: address("/collection", { collection }) }, "Cancel")), problem, field];
}

// MARK: A conflict

function decision(page) {
  const [ours, theirs] = [page.local.doc ?? {}, page.remote.doc ?? {}];
  const merged = page.merged;
  const field = h("textarea", { class: "tall", id: "merge", "aria-label": "Merged document as JSON", spellcheck: "false" });
  field.value = merged === null ? "" : write(merged);
  const choice = Object.create(null);
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
  const compose = () => {
    const result = Object.create(null);
    for (const key of keys) {
      const side = choice[key] === "local" ? ours : choice[key] === "remote" ? theirs : merged ?? {};
      if (Object.hasOwn(side, key)) result[key] = side[key];
    }
    field.value = write(result);
  };
  const cell = (key, name, side) => {
    const text = Object.hasOwn(side, key) ? brief(side[key]) : "—";
    const isChosen = merged && Object.hasOwn(side, key) && Object.hasOwn(merged, key) && write(side[key]) === write(merged[key]);
    const radio = h("input", { type: "radio", name: "field-" + key, "aria-label": `${key}: ${name}`, checked: isChosen,
      onchange: () => { choice[key] = name; compose(); } });
    return h("td", {}, h("label", {}, radio, h("span", {}, text)));
  };
  const rows = keys.map((key) => {
    const differs = !Object.hasOwn(ours, key) || !Object.hasOwn(theirs, key) || write(ours[key]) !== write(theirs[key]);
    return h("tr", { class: differs ? "differs" : null }, h("th", { scope: "row" }, key),
      differs ? [cell(key, "local", ours), cell(key, "remote", theirs)]
        : h("td", { colspan: 2, class: "sub" }, brief(ours[key])));
  });
  const problem = h("div", { role: "alert" });
  const complain = (text) => problem.replaceChildren(h("p", { class: "note bad" }, text));
  // A side that is kept is only named, because the browser may have rounded its numbers.
  const settle = async (member, text) => {
    const body = `{"local":${JSON.stringify(page.local.rev)},"remote":${JSON.stringify(page.remote.rev)},"${member}":${text}}`;
    try {
      JSON.parse(text);
      await send("POST", place(page.collection, page.id, "/conflict.json"), body);
      open(place(page.collection, page.id));
    } catch (error) {
      complain(error.message);
    }
  };
  const accept = () => keepsNumbers ? settle("doc", field.value.trim() || "null") : complain(rounding);
  const keep = (name, side, revision) => h("button", { id: "keep-" + side, onclick: () => settle("keep", JSON.stringify(side)) },
    `Keep ${name}` + (revision.deleted ? " (delete)" : ""));
  const buttons = !page.write
    ? h("p", { class: "sub" }, "This studio is read-only. To resolve conflicts, start it with divan studio --write.")
    : h("div", { class: "bar" },
      h("button", { class: "main", id: "accept", onclick: accept }, "Save merged"),
      keep("local", "local", page.local), keep("remote", "remote", page.remote));
  const title = (name, revision) => h("th", { scope: "col" }, name, revision.deleted ? " (deleted)" : "", h("br"), h("code", {}, revision.rev.slice(0, 18)));
  return [
    h("p", { class: "sub" }, page.base ? "Common ancestor: " : "The common ancestor is not available.",
      page.base ? h("code", {}, page.base.rev) : null),
    h("div", { class: "scroll" }, h("table", { class: "fields" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Field"), title("Local", page.local), title("Remote", page.remote))),
      h("tbody", {}, rows))),
    h("h2", {}, "Merged document"),
    ...(merged === null ? [h("p", { class: "sub" }, "Leave empty to delete the document.")] : []),
    field, problem, buttons,
  ];
}

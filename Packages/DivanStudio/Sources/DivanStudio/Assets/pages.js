// The pages: each takes the address's options and gives what stands in the middle.

import {
  address, brief, bytes, coloured, count, h, keepsNumbers, load, place, send, table, tag, write,
} from "./base.js";
import { graph, vectors } from "./drawing.js";

const heading = (text, ...more) => h("h1", {}, text, ...more);
const nothing = (text) => h("p", { class: "empty" }, text);
const option = (options, name) => options.get(name);

export const pages = {
  "/": async () => {
    const index = await load("/index.json");
    const rows = index.collections;
    return {
      title: index.name,
      watches: () => true,
      content: [
        heading(index.name, tag(index.write ? "may be changed" : "read only"),
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

  "/collection": async (options) => {
    const [collection, prefix, after] = ["collection", "prefix", "after"].map((name) => option(options, name));
    const page = await load(address("/collection.json", { collection, prefix, after, limit: 50 }));
    const asTable = option(options, "view") !== "json";
    const filter = h("input", { id: "filter", type: "search", placeholder: "IDs that begin with …",
      "aria-label": "Filter by the beginning of the ID", value: prefix ?? "", size: 24 });
    const view = asTable ? null : "json";
    const form = h("form", { class: "bar", onsubmit: (event) => {
      event.preventDefault();
      open(address("/collection", { collection, view, prefix: filter.value || null }));
    } }, filter, h("button", {}, "Filter"),
      h("a", { class: "button", href: address("/collection", { collection, prefix, after, view: asTable ? "json" : null }) },
        asTable ? "As JSON" : "As a table"),
      h("span", { class: "space" }),
      page.write ? h("a", { id: "new", class: "button", href: address("/new", { collection }) }, "New document") : null,
      after ? h("a", { class: "button", href: address("/collection", { collection, prefix, view }) }, "First page") : null,
      page.next ? h("a", { id: "next", class: "button", href: address("/collection", { collection, prefix, view, after: page.next }) }, "Next page") : null);
    return {
      title: page.collection,
      watches: (change) => change.collection === page.collection,
      content: [
        heading(page.collection), h("p", { class: "sub" }, count(page.count, "document")), form,
        page.rows.length ? (asTable ? documents(page) : list(page)) : nothing("No document here."),
      ],
    };
  },

  "/document": async (options) => {
    const [collection, id] = [option(options, "collection") ?? "_default", option(options, "id") ?? ""];
    const page = await load(place(collection, id, "/document.json"));
    const resolve = page.conflict
      ? h("a", { class: "button", href: place(collection, id, "/conflict") }, "Resolve the conflict") : null;
    const body = h("div", { id: "body" }, page.deleted ? nothing("The document is deleted.") : coloured(write(page.doc)));
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
    index.write ? composer(collection) : nothing("This studio only reads; divan studio --write may write.")] };
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
        : nothing("No document waits for a decision.")],
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
      content: [heading("Changes"), h("p", { class: "sub" }, "The newest stand first; what happens now appears here."),
        h("div", { class: "scroll" }, h("table", { id: "changes" }, h("thead", {}, h("tr", {},
          ["Sequence", "Document", "Collection", "Revision"].map((title) => h("th", { scope: "col" }, title)))), body))],
    };
  },

  "/query": async (options) => {
    const field = h("textarea", { id: "filter", "aria-label": "Query in SQL++", spellcheck: "false" });
    field.value = option(options, "q") ?? "SELECT META().id, * FROM _ LIMIT 20";
    const output = h("div", { id: "answer", "aria-live": "polite" });
    const run = async () => {
      output.replaceChildren(h("p", { class: "sub" }, "asking …"));
      const start = performance.now();
      try {
        const answer = await send("POST", "/query.json", JSON.stringify({ query: field.value }));
        history.replaceState(null, "", address("/query", { q: field.value }));
        output.replaceChildren(...answered(answer, performance.now() - start));
      } catch (error) {
        output.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message));
      }
    };
    field.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    });
    if (option(options, "q")) run();
    return { title: "Query", content: [heading("Query"), field,
      h("div", { class: "bar" }, h("button", { class: "main", onclick: run }, "Run"),
        h("span", { class: "sub" }, "Ctrl-Enter runs it; it only reads.")), output] };
  },

  "/indexes": async () => {
    const page = await load("/indexes.json");
    return { title: "Indexes", content: [heading("Indexes"), page.indexes.length
      ? table([
        ["Index", (row) => row.name], ["Collection", (row) => row.collection], ["Kind", (row) => row.kind],
        ["Of", (row) => h("code", {}, row.source)],
      ], page.indexes)
      : nothing("There is no index. divan index make makes one.")] };
  },

  "/peers": async () => {
    // Asked for here, so that no other page waits for it.
    const [{ process, room }, page, index] = await Promise.all(
      [import("./room.js"), load("/peers.json"), load("/index.json")]);
    return { title: "Peers", every: 2000, content: [heading("Peers"), page.processes.length
      ? [h("div", { class: "scroll" }, room(index.name, page.processes, page.others ?? [])), page.processes.map(process)]
      : nothing("No process serves or syncs this database now.")] };
  },
};

function open(path) {
  document.dispatchEvent(new CustomEvent("open", { detail: path }));
}

// MARK: A collection

function documents(page) {
  const names = new Map();
  for (const row of page.rows) for (const key of Object.keys(row.doc ?? {})) names.set(key, (names.get(key) ?? 0) + 1);
  const keys = [...names].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([key]) => key);
  return table([
    ["ID", (row) => [h("a", { href: place(page.collection, row.id) }, row.id), row.conflict ? tag("in conflict", "bad") : null,
      row.damage ? h("span", { title: row.damage }, tag("damaged", "bad")) : null]],
    ...keys.map((key) => [key, (row) => row.doc && Object.hasOwn(row.doc, key) ? brief(row.doc[key]) : ""]),
    ["Size", (row) => bytes(row.bytes), "number"],
  ], page.rows, { id: "documents" });
}

function list(page) {
  return page.rows.map((row) => h("figure", {},
    h("figcaption", {}, h("a", { href: place(page.collection, row.id) }, row.id)),
    row.doc ? coloured(write(row.doc)) : nothing(row.damage ?? bytes(row.bytes) + ", open it to see it")));
}

// MARK: A document

const rounding = "This browser would round large numbers; use a newer one, or divan edit.";

function figure(page, blob) {
  const source = place(page.collection, page.id, "/blob") + "&" + new URLSearchParams({ pointer: blob.pointer });
  const note = `${blob.pointer} · ${typeof blob.type === "string" ? blob.type : "no type"} · ${bytes(blob.length)}`;
  if (!blob.here) return h("figure", {}, h("figcaption", {}, note + " · its content is not here"));
  if (!blob.readable) return h("figure", {}, h("figcaption", {}, note + " · its content cannot be read"));
  return h("figure", {},
    blob.picture ? h("img", { class: "picture", src: source, alt: "The picture at " + blob.pointer, loading: "lazy" }) : null,
    h("figcaption", {}, note + " · ", h("a", { href: source, download: "blob" }, "save")));
}

/// The line of buttons above a document, and what goes wrong with them.
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
    if (!confirm("Delete “" + page.id + "”? The deletion syncs to every peer.")) return;
    try { await send("DELETE", address, "{}"); done(); } catch (error) { complain(error.message); }
  } }, "Delete");
  const buttons = [edit, remove, resolve].filter(Boolean);
  bar.append(...buttons);
  return [bar, problem];
}

function composer(collection) {
  const name = h("input", { id: "filter", placeholder: "ID; one is made if this is empty", "aria-label": "The ID",
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
  const field = h("textarea", { class: "tall", id: "merge", "aria-label": "The merged document as JSON", spellcheck: "false" });
  field.value = merged === null ? "" : write(merged);
  const choice = Object.create(null);
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
  const compose = () => {
    const result = Object.create(null);
    for (const key of keys) {
      const side = choice[key] === "ours" ? ours : choice[key] === "theirs" ? theirs : merged ?? {};
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
      differs ? [cell(key, "ours", ours), cell(key, "theirs", theirs)]
        : h("td", { colspan: 2, class: "sub" }, brief(ours[key])));
  });
  const problem = h("div", { role: "alert" });
  const complain = (text) => problem.replaceChildren(h("p", { class: "note bad" }, text));
  // The text of a wish: what is kept is named, for the browser may have rounded its numbers.
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
    `Keep ${name}` + (revision.deleted ? " (delete it)" : ""));
  const buttons = !page.write
    ? h("p", { class: "sub" }, "This studio only reads; divan studio --write may decide.")
    : h("div", { class: "bar" },
      h("button", { class: "main", id: "accept", onclick: accept }, "Save this"),
      keep("ours", "local", page.local), keep("theirs", "remote", page.remote));
  const title = (name, revision) => h("th", { scope: "col" }, name, revision.deleted ? " (deletes it)" : "", h("br"), h("code", {}, revision.rev.slice(0, 18)));
  return [
    h("p", { class: "sub" }, page.base ? "Both sides began from " : "Nothing that both sides have in common is kept.",
      page.base ? h("code", {}, page.base.rev) : null),
    h("div", { class: "scroll" }, h("table", { class: "fields" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Field"), title("Ours", page.local), title("Theirs", page.remote))),
      h("tbody", {}, rows))),
    h("h2", {}, "The merge"),
    ...(merged === null ? [h("p", { class: "sub" }, "Empty: the document is deleted.")] : []),
    field, problem, buttons,
  ];
}

// MARK: A query

function answered(answer, milliseconds) {
  const rows = answer.rows;
  const columns = answer.columns.map((title, index) => [title, (row) => brief(row[index])]);
  const scans = answer.plan.steps.some((step) => /^SCAN/.test(step.text));
  return [
    h("p", { class: "sub" }, `${count(rows.length, "row")}${answer.more ? ", and more" : ""} in ${milliseconds.toFixed(0)} ms`),
    rows.length ? table(columns, rows, { id: "rows" }) : nothing("No row."),
    h("h2", {}, "How it was run", scans ? tag("reads everything", "bad") : tag("by an index", "good")),
    h("pre", { id: "plan" }, answer.plan.steps.map((step) => step.text).join("\n") + "\n\n" + answer.plan.sql),
  ];
}

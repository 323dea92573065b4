// The pages: each is a function from the address's options to the page's content.

import { address, h, heading, load, nothing, place, table, tag } from "./base.js";

/// A page of another module, which is loaded with its first visit.
const from = (module, name) => async (options) => (await import(module))[name](options);

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

  "/document": from("./document.js", "showDocument"),

  "/new": from("./document.js", "newDocument"),

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

  "/conflict": from("./conflict.js", "conflict"),

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

  "/schema": from("./indexes.js", "schema"),

  "/indexes": from("./indexes.js", "indexes"),

  "/import": from("./import.js", "importing"),

  "/peers": async () => {
    // Loaded here, so that no other page waits for it.
    const [{ process, room }, page, index] = await Promise.all(
      [import("./peers.js"), load("/peers.json"), load("/index.json")]);
    return { title: "Peers", every: 2000, content: [heading("Peers"), page.processes.length
      ? [h("div", { class: "scroll" }, room(index.name, page.processes, page.others ?? [])),
        await Promise.all(page.processes.map(process))]
      : nothing("No process is serving or syncing this database.")] };
  },
};

// The documents of a collection: as a table that is filtered, sorted and downloaded, or as JSON.

import { address, brief, bytes, coloured, count, h, heading, load, nothing, open, place, table, tag, write } from "./base.js";
import { completed } from "./completion.js";
import { comma, keep, kept, saveFile } from "./files.js";

const pageCount = 50;
const defaultCount = 8;
const offeredCount = 100;

export async function collection(options) {
  const names = ["collection", "prefix", "where", "sort", "order", "view", "after", "before", "offset"];
  const wish = Object.fromEntries(names.map((name) => [name, options.get(name)]));
  wish.collection ??= "_default";
  const { view, ...rest } = wish;
  const page = await load(address("/collection.json", { ...rest, limit: pageCount }));
  const link = (changes) => address("/collection", { ...wish, ...changes });
  const start = { after: null, before: null, offset: null };
  const shown = h("div", {});
  const show = () => shown.replaceChildren(...[
    !page.rows.length ? nothing(page.matching == null ? "No documents" : "No document matches")
      : view === "json" ? list(page) : documents(page, wish, (changes) => link({ ...start, ...changes })),
  ].flat());
  show();
  return {
    title: page.collection,
    watches: (change) => change.collection === page.collection,
    content: [
      heading(page.collection),
      h("p", { class: "sub", id: "count" }, page.matching == null ? count(page.count, "document")
        : `${Number(page.matching).toLocaleString("en")} of ${count(page.count, "document")}`),
      filter(wish, page, (changes) => open(link({ ...start, ...changes }))),
      bar(page, wish, link, start, show),
      shown,
    ],
  };
}

/// The fields for a prefix of IDs and a condition.
function filter(wish, page, go) {
  const prefix = h("input", { id: "filter", type: "search", placeholder: "ID prefix",
    "aria-label": "Filter by ID prefix", value: wish.prefix ?? "", size: 14 });
  const where = h("input", { id: "where", type: "search", placeholder: "WHERE, such as price < 100", spellcheck: "false",
    "aria-label": "Filter by a condition in SQL++", value: wish.where ?? "", autocomplete: "off" });
  const names = async () => (await load(address("/schema.json", { collection: page.collection }))).properties
    .map((property) => property.path);
  return h("form", { class: "bar", onsubmit: (event) => {
    event.preventDefault();
    go({ prefix: prefix.value || null, where: where.value || null });
  } }, prefix, completed(where, names), h("button", { id: "apply" }, "Filter"),
  wish.prefix || wish.where
    ? h("a", { class: "button", id: "clear", href: address("/collection", { collection: wish.collection, view: wish.view }) }, "Clear") : null);
}

function bar(page, wish, link, start, show) {
  const isTable = wish.view !== "json";
  const step = (id, text, changes) => changes
    ? h("a", { id, class: "button", href: link({ ...start, ...changes }) }, text) : null;
  const offset = page.offset ?? 0;
  const previous = page.previous != null ? { before: page.previous }
    : offset > 0 ? { offset: Math.max(0, offset - pageCount) || null } : null;
  const next = page.next != null ? { after: page.next } : page.more ? { offset: offset + page.rows.length } : null;
  const isFirst = !wish.after && !wish.before && !offset;
  return h("div", { class: "bar" },
    h("a", { class: "button", href: link({ view: isTable ? "json" : null }) }, isTable ? "View as JSON" : "View as table"),
    h("a", { class: "button", href: address("/schema", { collection: page.collection }) }, "Schema"),
    isTable && page.rows.length ? chooser(page, show) : null,
    page.rows.length ? [
      h("button", { id: "save-json", onclick: () => saveFile(name(page, "json"), "application/json", asJSON(page)) }, "Save as JSON"),
      h("button", { id: "save-csv", onclick: () => saveFile(name(page, "csv"), "text/csv", asCSV(page)) }, "Save as CSV"),
    ] : null,
    h("span", { class: "space" }),
    page.write ? [
      h("a", { class: "button", href: address("/import", { collection: page.collection }) }, "Import"),
      h("a", { id: "new", class: "button", href: address("/new", { collection: page.collection }) }, "New document"),
    ] : null,
    isFirst ? null : step("first", "First page", {}),
    step("previous", "Previous page", previous), step("next", "Next page", next));
}

const name = (page, kind) => `${page.collection}.${kind}`;

// MARK: Columns

/// The names of the properties on a page, the most common first.
function properties(page) {
  const counts = new Map();
  for (const row of page.rows) for (const key of Object.keys(row.doc ?? {})) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, offeredCount).map(([key]) => key);
}

/// The chosen columns; without a choice, the most common properties.
function columns(page) {
  const known = properties(page);
  const chosen = kept("columns " + page.collection, null);
  return Array.isArray(chosen) ? known.filter((key) => chosen.includes(key)) : known.slice(0, defaultCount);
}

function chooser(page, show) {
  const chosen = new Set(columns(page));
  const boxes = properties(page).map((key) => h("label", {}, h("input", { type: "checkbox", value: key,
    checked: chosen.has(key), onchange: (event) => {
      if (event.target.checked) chosen.add(key); else chosen.delete(key);
      keep("columns " + page.collection, [...chosen].slice(0, offeredCount));
      show();
    } }), " ", key));
  return h("details", { class: "menu", id: "columns" }, h("summary", { class: "button" }, "Columns"), h("div", {}, boxes));
}

// MARK: Rows

const has = (row, key) => row.doc && Object.hasOwn(row.doc, key);

function documents(page, wish, link) {
  const isDescending = wish.order === "descending";
  // The first click sorts upwards, the second downwards.
  const title = (text, sort) => {
    const isSorted = sort === wish.sort;
    const order = isSorted && !isDescending ? "descending" : null;
    return [h("button", { class: "sort", onclick: () => open(link({ sort, order })) }, text, isSorted ? (isDescending ? " ▼" : " ▲") : "")];
  };
  const sorted = (sort) => sort === wish.sort ? { "aria-sort": isDescending ? "descending" : "ascending" } : {};
  return table([
    [title("ID", null), (row) => [h("a", { href: place(page.collection, row.id) }, row.id),
      row.conflict ? tag("in conflict", "bad") : null,
      row.damage ? h("span", { title: row.damage }, tag("damaged", "bad")) : null], null, sorted(null)],
    ...columns(page).map((key) => [title(key, key), (row) => cell(page, row, key), null, sorted(key)]),
    ["Size", (row) => bytes(row.bytes), "number"],
  ], page.rows, { id: "documents" });
}

/// A value, with the pictures that are in it.
function cell(page, row, key) {
  if (!has(row, key)) return "";
  const place = "/" + key.replaceAll("~", "~0").replaceAll("/", "~1");
  const pictures = (row.pictures ?? []).filter((pointer) => pointer === place || pointer.startsWith(place + "/"));
  if (!pictures.length) return brief(row.doc[key]);
  return pictures.map((pointer) => h("img", { class: "thumbnail", loading: "lazy", alt: "Image at " + pointer,
    src: address("/blob", { collection: page.collection, id: row.id, pointer }) }));
}

function list(page) {
  return page.rows.map((row) => h("figure", {},
    h("figcaption", {}, h("a", { href: place(page.collection, row.id) }, row.id)),
    row.doc ? coloured(write(row.doc)) : nothing(row.damage ?? bytes(row.bytes) + ", too large for the list")));
}

// MARK: Files

const asJSON = (page) => write(page.rows.map((row) => ({ _id: row.id, ...row.doc }))) + "\n";

function asCSV(page) {
  const keys = columns(page);
  return comma([["_id", ...keys], ...page.rows.map((row) => [row.id, ...keys.map((key) => has(row, key) ? brief(row.doc[key]) : "")])]);
}

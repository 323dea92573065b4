// The properties of a collection's documents, and the indexes of the database.

import { address, brief, count, h, heading, load, messages, nothing, open, send, table } from "./base.js";

export async function schema(options) {
  const collection = options.get("collection") ?? "_default";
  const page = await load(address("/schema.json", { collection }));
  const { write } = await load("/index.json");
  const share = (property) => `${Math.round(100 * property.count / page.sampled)}%`;
  return { title: "Schema of " + page.collection, content: [
    heading("Schema"),
    h("p", { class: "sub" }, h("a", { href: address("/collection", { collection }) }, page.collection),
      page.sampled < page.count ? ` · from a sample of ${count(page.sampled, "document")} of ${Number(page.count).toLocaleString("en")}`
        : ` · from ${count(page.sampled, "document")}`),
    page.properties.length
      ? table([
        ["Property", (property) => h("code", { class: "depth-" + property.depth }, property.path)],
        ["Types", (property) => types(property)],
        ["Share", share, "number"],
        ["Examples", (property) => property.examples.map(brief).join(", ")],
      ], page.properties, { id: "properties" })
      : nothing("No documents"),
    page.suggestions.length ? [
      h("h2", {}, "Suggested indexes"),
      h("p", { class: "sub" }, "Each makes queries faster that compare or order by the property. It costs space, and time when documents are saved."),
      suggestions(page, write),
    ] : null,
  ] };
}

/// The types of a property, the most common first.
function types(property) {
  const sorted = Object.entries(property.types).sort((a, b) => b[1] - a[1]);
  return sorted.map(([type, number]) => sorted.length === 1 ? type
    : `${type} ${Math.round(100 * number / property.count)}%`).join(", ");
}

function suggestions(page, mayWrite) {
  const link = (row) => address("/indexes", { collection: page.collection, expressions: row.expression, name: nameOf(row.expression) });
  return table([
    ["Expression", (row) => h("code", {}, row.expression)],
    ["Values in the sample", (row) => `${row.values} different of ${row.count}`],
    ["", (row) => mayWrite ? h("a", { class: "button", href: link(row) }, "Create…") : ""],
  ], page.suggestions, { id: "suggestions" });
}

/// `byCity` for `city`, as divan index suggests it.
const nameOf = (expression) => "by" + (expression.match(/[A-Za-z0-9]+/g) ?? []).slice(-4)
  .map((word) => word[0].toUpperCase() + word.slice(1)).join("");

// MARK: Indexes

export async function indexes(options) {
  const page = await load("/indexes.json");
  const [problem, complain] = messages();
  const remove = (row) => async () => {
    if (!confirm(`Delete the index “${row.name}”? Queries that use it become slower.`)) return;
    try {
      await send("DELETE", address("/indexes.json", { collection: row.collection, name: row.name }), "{}");
      open("/indexes");
    } catch (error) {
      complain(error.message);
    }
  };
  return { title: "Indexes", content: [
    heading("Indexes"), problem,
    page.indexes.length
      ? table([
        ["Index", (row) => row.name], ["Collection", (row) => row.collection], ["Kind", (row) => row.kind],
        ["Expression", (row) => h("code", {}, row.source)],
        ["", (row) => page.write ? h("button", { class: "bad", "aria-label": "Delete " + row.name, onclick: remove(row) }, "Delete") : ""],
      ], page.indexes, { id: "indexes" })
      : nothing(page.write ? "No indexes" : "No indexes. To create one, run divan index make."),
    page.write ? [h("h2", {}, "New index"), await creation(options)] : null,
  ] };
}

/// The form of a new index; while it is being created, its progress and a button that stops it.
async function creation(options) {
  const { collections } = await load("/index.json");
  const collection = h("select", { id: "index-collection", "aria-label": "Collection" },
    collections.map((row) => h("option", { value: row.name }, row.name)));
  collection.value = options.get("collection") ?? collections[0].name;
  const field = (id, title, value) => h("input", { id, "aria-label": title, placeholder: title, value: value ?? "", spellcheck: "false" });
  const expressions = field("index-expressions", "Expressions, such as city, LOWER(name)", options.get("expressions"));
  const name = field("index-name", "Name", options.get("name"));
  const [problem, complain] = messages();
  const progress = h("span", { id: "index-progress", role: "status" });
  const create = h("button", { class: "main", id: "create" }, "Create index");
  const target = () => address("/indexes.json", { collection: collection.value, name: name.value });
  const submit = async (event) => {
    event.preventDefault();
    complain();
    create.disabled = true;
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Progress" });
    progress.replaceChildren(bar, h("button", { type: "button", onclick: () => send("DELETE", target(), "{}").catch(() => {}) }, "Stop"));
    const watch = setInterval(async () => {
      const { building } = await load("/indexes.json").catch(() => ({ building: [] }));
      bar.value = building.find((build) => build.name === name.value && build.collection === collection.value)?.share ?? bar.value;
    }, 300);
    try {
      await send("POST", target(), JSON.stringify({ expressions: expressions.value }));
      open("/indexes");
    } catch (error) {
      complain(error.message);
    } finally {
      clearInterval(watch);
      progress.replaceChildren();
      create.disabled = false;
    }
  };
  return h("form", { class: "bar", onsubmit: submit }, collection, expressions, name, create, progress, problem);
}

// Runs queries, and shows their rows as a table and as a chart, and their plan as a tree.

import { address, brief, count, h, heading, load, messages, nothing, parse, send, table, tag, write } from "./base.js";
import { completed } from "./completion.js";
import { comma, keep, kept, saveFile } from "./files.js";

/// Queries that the browser keeps, and characters of one.
const [keptCount, keptLength] = [50, 4_000];

export async function query(options) {
  const field = h("textarea", { id: "filter", "aria-label": "Query in SQL++", spellcheck: "false" });
  field.value = options.get("q") ?? await firstQuery();
  const values = new Map();
  const inputs = h("div", { class: "bar", id: "parameters" });
  const [problem, complain] = messages();
  const output = h("div", { id: "answer", "aria-live": "polite", "aria-busy": "false" });
  const menus = h("span", { class: "bar" });
  const use = (text) => { field.value = text; ask(); list(); field.focus(); };
  const ask = () => inputs.replaceChildren(...parameters(field.value).map((name) => h("label", {}, "$" + name,
    h("input", { name, value: values.get(name) ?? "", size: 14, placeholder: "JSON or text",
      oninput: (event) => values.set(name, event.target.value) }))));
  const list = () => menus.replaceChildren(...kinds(use, list));
  const run = async () => {
    complain();
    output.replaceChildren(h("p", { class: "sub" }, "running…"));
    const start = performance.now();
    try {
      const body = { query: field.value, parameters: Object.fromEntries(parameters(field.value).map((name) =>
        [name, value(values.get(name) ?? "")])) };
      const answer = await send("POST", "/query.json", write(body));
      history.replaceState(null, "", address("/query", { q: field.value }));
      remember(field.value);
      list();
      output.replaceChildren(...answered(answer, performance.now() - start));
    } catch (error) {
      output.replaceChildren();
      complain(error.message);
    }
  };
  field.addEventListener("input", ask);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
  });
  ask();
  list();
  if (options.get("q")) run();
  return { title: "Query", content: [heading("Query"), completed(field, () => names(field.value)), inputs,
    h("div", { class: "bar" }, h("button", { class: "main", id: "run", onclick: run }, "Run"), menus,
      saver(() => field.value, list),
      h("span", { class: "sub" }, "Ctrl+Enter runs the query. Queries are read-only.")), problem, output] };
}

/// A query of a collection that has documents.
async function firstQuery() {
  const { collections } = await load("/index.json");
  const full = collections.find((row) => row.count > 0)?.name ?? "_default._default";
  return `SELECT META().id, * FROM ${source(full)} LIMIT 20`;
}

const source = (name) => name === "_default._default" ? "_"
  : name.split(".").map((part) => /^[A-Za-z_]\w*$/.test(part) ? part : "`" + part + "`").join(".");

/// The names of parameters, without those in texts.
function parameters(text) {
  const found = text.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, "").matchAll(/\$([A-Za-z_]\w*)/g);
  return [...new Set([...found].map((match) => match[1]))].slice(0, 20);
}

/// JSON, or else the text itself.
function value(text) {
  try { return parse(text); } catch { return text; }
}

/// The properties of the collection that a query reads.
async function names(text) {
  const from = text.match(/\bFROM\s+([\w.`%-]+)/i)?.[1].replaceAll("`", "") ?? "_";
  const collection = from === "_" ? "_default" : from;
  const found = await load(address("/schema.json", { collection })).catch(() => load("/schema.json"));
  return found.properties.map((property) => property.path);
}

// MARK: Queries of the past

const texts = (key) => {
  const found = kept(key, []);
  return Array.isArray(found) ? found : [];
};

function remember(text) {
  if (text.length > keptLength) return;
  keep("query history", [text, ...texts("query history").filter((other) => other !== text)].slice(0, keptCount));
}

function kinds(use, list) {
  const menu = (id, title, rows) => rows.length
    ? h("details", { class: "menu", id }, h("summary", { class: "button" }, title), h("div", {}, rows)) : null;
  const pick = (text, title = text) => h("button", { type: "button", title: text, onclick: (event) => {
    event.target.closest("details").open = false;
    use(text);
  } }, title);
  const saved = texts("saved queries");
  const forget = (name) => h("button", { type: "button", class: "bad", "aria-label": "Delete " + name, onclick: () => {
    keep("saved queries", saved.filter((each) => each.name !== name));
    list();
  } }, "✕");
  return [
    menu("history", "History", texts("query history").map((text) => pick(String(text)))),
    menu("saved", "Saved", saved.map(({ name, text }) => h("div", { class: "row" }, pick(String(text), String(name)), forget(name)))),
  ].filter(Boolean);
}

/// A field for the name of a query, and the button that saves it.
function saver(text, list) {
  const name = h("input", { id: "query-name", placeholder: "Name", "aria-label": "Name of the query", size: 12, maxlength: 80 });
  return h("form", { class: "bar", onsubmit: (event) => {
    event.preventDefault();
    if (!name.value.trim() || text().length > keptLength) return name.focus();
    const others = texts("saved queries").filter((each) => each.name !== name.value.trim());
    keep("saved queries", [{ name: name.value.trim(), text: text() }, ...others].slice(0, keptCount));
    name.value = "";
    list();
  } }, name, h("button", { id: "save-query" }, "Save query"));
}

// MARK: The answer

function answered(answer, milliseconds) {
  const { rows, columns } = answer;
  const titles = columns.map((title, index) => [title, (row) => brief(row[index])]);
  const scans = answer.plan.steps.some((step) => /^SCAN/.test(step.text));
  const objects = () => rows.map((row) => Object.fromEntries(columns.map((title, index) => [title, row[index]])));
  return [
    h("p", { class: "sub" }, `${count(rows.length, "row")}${answer.more ? ", and more" : ""} in ${milliseconds.toFixed(0)} ms`),
    rows.length ? [
      h("div", { class: "bar" },
        h("button", { id: "save-json", onclick: () => saveFile("rows.json", "application/json", write(objects()) + "\n") }, "Save as JSON"),
        h("button", { id: "save-csv", onclick: () => saveFile("rows.csv", "text/csv",
          comma([columns, ...rows.map((row) => row.map(brief))])) }, "Save as CSV")),
      drawing(answer),
      table(titles, rows, { id: "rows" }),
    ] : nothing("No rows"),
    h("h2", {}, "Query plan", scans ? tag("full scan", "bad") : tag("uses an index", "good")),
    h("div", { id: "plan" }, tree(answer.plan.steps, 0),
      h("details", {}, h("summary", {}, "SQL"), h("pre", {}, answer.plan.sql))),
  ].flat(2);
}

/// The steps below a step.
function tree(steps, parent) {
  const own = steps.filter((step) => step.parent === parent);
  return own.length ? h("ul", { class: "tree" }, own.map((step) => h("li", {}, step.text, tree(steps, step.id)))) : null;
}

/// The choice of a chart; its module is loaded with the first one.
function drawing(answer) {
  const area = h("div", { id: "chart" });
  const choice = (id, title, names) => h("select", { id, "aria-label": title },
    names.map(([value, text]) => h("option", { value }, text)));
  const columns = answer.columns.map((title, index) => [index, title]);
  const kind = choice("chart-kind", "Chart", [["", "No chart"], ["bars", "Bars"], ["lines", "Lines"], ["map", "Map"]]);
  const [x, y] = [choice("chart-x", "Horizontal axis", columns), choice("chart-y", "Vertical axis", columns)];
  const numeric = answer.columns.findIndex((_, index) => answer.rows.every((row) => row[index] == null || Number.isFinite(Number(row[index]))));
  y.value = Math.max(numeric, 0);
  const axes = h("span", { class: "bar", hidden: true }, h("label", {}, "across", x), h("label", {}, "up", y));
  const draw = async () => {
    axes.hidden = !["bars", "lines"].includes(kind.value);
    if (!kind.value) return area.replaceChildren();
    const { chart } = await import("./chart.js");
    area.replaceChildren(chart(kind.value, answer, Number(x.value), Number(y.value)));
  };
  for (const select of [kind, x, y]) select.addEventListener("change", draw);
  return [h("div", { class: "bar" }, kind, axes), area];
}

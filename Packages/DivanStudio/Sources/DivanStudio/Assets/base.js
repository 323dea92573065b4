// Helpers for all pages: elements, requests, exact numbers, formatted JSON.

/// Creates an element. Text becomes text nodes, never markup, because documents are untrusted.
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) {
    if (child != null && child !== false) element.append(child);
  }
  return element;
}

/// A number that JavaScript would round, as written in the text.
export class Exact {
  constructor(text) { this.text = text; }
  valueOf() { return Number(this.text); }
  toString() { return this.text; }
}

/// Whether this browser reports how a number was written, so that editing changes none.
export const keepsNumbers = (() => {
  let source;
  JSON.parse("1", (_, value, context) => { source = context?.source; return value; });
  return source === "1";
})();

/// Said instead of changing numbers.
export const rounding = "This browser would round large numbers. Use a newer browser, or divan edit.";

/// Parses JSON, keeping each number as written.
export function parse(text) {
  return JSON.parse(text, (_, value, context) =>
    typeof value === "number" && context?.source && String(value) !== context.source
      ? new Exact(context.source) : value);
}

/// Formats a value as indented JSON.
export function write(value, indent = "") {
  if (value instanceof Exact) return value.text;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const inner = indent + "  ";
  const items = Array.isArray(value)
    ? value.map((item) => inner + write(item, inner))
    : Object.entries(value).map(([key, item]) => inner + JSON.stringify(key) + ": " + write(item, inner));
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return items.length ? open + "\n" + items.join(",\n") + "\n" + indent + close : open + close;
}

/// A value on one line, for a table cell.
export function brief(value) {
  if (value === undefined) return "";
  if (typeof value === "string") return value;
  return write(value).replace(/\n\s*/g, " ");
}

/// JSON with syntax highlighting; very long texts stay plain.
export function coloured(text) {
  const pre = h("pre", { tabindex: 0 });
  if (text.length > 200_000) {
    pre.append(text);
    return pre;
  }
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|(true|false|null)/g;
  let end = 0;
  for (const match of text.matchAll(token)) {
    pre.append(text.slice(end, match.index));
    const kind = match[1] ? (match[2] ? "key" : "string") : match[3] ? "number-value" : "word";
    pre.append(h("span", { class: kind }, match[1] ?? match[0]), match[2] ?? "");
    end = match.index + match[0].length;
  }
  pre.append(text.slice(end));
  return pre;
}

/// Requests data; throws an error with the server's message.
export async function load(path, options = {}) {
  const response = await fetch(path, options);
  const text = await response.text();
  let value;
  try { value = parse(text); } catch { value = { reason: text }; }
  if (!response.ok) throw Object.assign(new Error(value.reason ?? text), { status: response.status });
  return value;
}

/// Sends JSON text.
export function send(method, path, body) {
  return load(path, { method, body, headers: { "Content-Type": "application/json" } });
}

/// The address of a page with options.
export function address(path, options) {
  return path + "?" + new URLSearchParams(Object.entries(options).filter(([, value]) => value != null));
}

/// The address of a document's page.
export function place(collection, id, path = "/document") {
  return address(path, { collection, id });
}

export function bytes(count) {
  if (count == null) return "";
  if (count < 1000) return count + " B";
  return count < 1e6 ? (count / 1000).toFixed(1) + " KB" : (count / 1e6).toFixed(1) + " MB";
}

export function count(number, word) {
  return Number(number).toLocaleString("en") + " " + word + (number === 1 ? "" : "s");
}

export function tag(text, kind = "") {
  return h("span", { class: "tag " + kind }, text);
}

/// A table: columns are a title, a function from a row to a cell, a class, and attributes of the heading.
export function table(columns, rows, attributes = {}) {
  const head = columns.map(([title, , kind, more]) => h("th", { class: kind, scope: "col", ...more }, title));
  const body = rows.map((row) => h("tr", {},
    columns.map(([, cell, kind]) => h("td", { class: kind }, cell(row)))));
  return h("div", { class: "scroll" },
    h("table", attributes, h("thead", {}, h("tr", {}, head)), h("tbody", {}, body)));
}

export const heading = (text, ...more) => h("h1", {}, text, ...more);
export const nothing = (text) => h("p", { class: "empty" }, text);
export const readOnly = (wish) => `This studio is read-only. To ${wish}, start it with divan studio --write.`;

/// Shows another page.
export function open(path) {
  document.dispatchEvent(new CustomEvent("open", { detail: path }));
}

/// A place for messages of a form, and the function that shows one; without a text, it is emptied.
export function messages() {
  const area = h("div", { role: "alert" });
  return [area, (text) => area.replaceChildren(...(text ? [h("p", { class: "note bad" }, text)] : []))];
}

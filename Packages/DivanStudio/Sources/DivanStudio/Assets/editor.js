// A text field for JSON, with colors, and a message where the text is not valid.

import { coloured, h } from "./base.js";

let fieldCount = 0;

/// A sign, a text, or another value (RFC 8259).
const token = /([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.])/y;

/// What may come next, in words.
const expected = {
  object: "a document is a JSON object: {…}", value: "expected a value", item: "expected a value or ]",
  key: "expected a property in double quotes", member: "expected a property in double quotes or }",
  colon: "expected a colon", "after {": "expected a comma or }", "after [": "expected a comma or ]", end: "expected no more text",
};

/// Where and why a text is no JSON object; `null` if it is one.
///
/// Engines describe the place in different ways, or not at all.
export function mistake(text) {
  const open = [];
  let wanted = "object";
  let at = 0;
  const fail = (reason) => {
    const lines = text.slice(0, at).split("\n");
    return { offset: at, line: lines.length, column: lines.at(-1).length + 1, reason };
  };
  for (;;) {
    while (" \t\r\n".includes(text[at] ?? "x")) at += 1;
    if (at === text.length) return wanted === "end" ? null : fail(expected[wanted] + " before the end");
    token.lastIndex = at;
    const [found, sign, string] = token.exec(text) ?? [];
    if (!found) return fail(text[at] === '"' ? "a text is not closed, or has an invalid character" : expected[wanted]);
    const inner = open.at(-1);
    const isKey = wanted === "key" || wanted === "member";
    const isValue = wanted === "value" || wanted === "item" || wanted === "object";
    if (isValue && (sign === "{" || sign === "[" && wanted !== "object")) {
      open.push({ sign, keys: new Set() });
      wanted = sign === "{" ? "member" : "item";
    } else if (sign === "}" && inner?.sign === "{" && (wanted === "member" || wanted === "after {")
      || sign === "]" && inner?.sign === "[" && (wanted === "item" || wanted === "after [")) {
      open.pop();
      wanted = open.length ? "after " + open.at(-1).sign : "end";
    } else if (isValue && !sign && wanted !== "object") wanted = "after " + inner.sign;
    else if (isKey && string) {
      const key = JSON.parse(string);
      if (inner.keys.has(key)) return fail("this property occurs twice");
      inner.keys.add(key);
      wanted = "colon";
    } else if (wanted === "colon" && sign === ":") wanted = "value";
    else if (wanted.startsWith("after") && sign === ",") wanted = inner.sign === "{" ? "key" : "value";
    else return fail(expected[wanted]);
    at += found.length;
  }
}

/// An editor: its element, its field, and a check that leads to the mistake. `mayBeEmpty` accepts no text.
export function editor(label, text, { mayBeEmpty = false, ...attributes } = {}) {
  const id = "editor-" + ++fieldCount;
  const state = h("p", { class: "sub state", role: "status", id });
  const field = h("textarea", { class: "tall", "aria-label": label, "aria-describedby": id, spellcheck: "false", ...attributes });
  const mirror = h("div", { class: "mirror", "aria-hidden": "true" });
  const found = () => mayBeEmpty && !field.value.trim() ? null : mistake(field.value);
  const paint = () => {
    const pre = coloured(field.value + "\n");
    pre.removeAttribute("tabindex");
    mirror.replaceChildren(pre);
    const problem = found();
    field.setAttribute("aria-invalid", problem !== null);
    state.className = "state " + (problem ? "bad" : "sub");
    const text = problem ? `Line ${problem.line}, column ${problem.column}: ${problem.reason}` : "Valid JSON";
    if (state.textContent !== text) state.textContent = text;
    follow();
  };
  const follow = () => { mirror.firstChild.scrollTop = field.scrollTop; };
  field.value = text;
  field.addEventListener("input", paint);
  field.addEventListener("scroll", follow);
  paint();
  return {
    element: h("div", {}, h("div", { class: "editor" }, mirror, field), state),
    field,
    fill: (value) => { field.value = value; paint(); },
    check: () => {
      const problem = found();
      if (!problem) return true;
      field.focus();
      field.setSelectionRange(problem.offset, problem.offset + 1);
      return false;
    },
  };
}

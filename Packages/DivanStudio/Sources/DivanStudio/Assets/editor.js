// A text field for JSON, with colors, and a message where the text is not valid.

import { coloured, h } from "./base.js";

let fieldCount = 0;

/// Where and why a text is no JSON object; `null` if it is one.
export function mistake(text) {
  try {
    const value = JSON.parse(text);
    const isObject = value !== null && typeof value === "object" && !Array.isArray(value);
    return isObject ? null : { offset: 0, line: 1, column: 1, reason: "a document is a JSON object: {…}" };
  } catch (error) {
    const offset = place(error.message, text);
    const lines = text.slice(0, offset).split("\n");
    // Engines name the place, each in its own words, at the end of the message.
    const reason = error.message.replace(/^JSON\.parse: /, "").replace(/,? (?:in JSON )?at (?:position|line) .*$/, "")
      .replace(/, (?:\.\.\.)?"[^]*$/, "").replace("JSON input", "the text");
    return { offset, line: lines.length, column: lines.at(-1).length + 1, reason };
  }
}

/// The offset that an engine's message names.
function place(message, text) {
  const position = message.match(/position (\d+)/);
  if (position) return Math.min(Number(position[1]), text.length);
  const pair = message.match(/line (\d+) column (\d+)/);
  if (!pair) return text.length;
  const before = text.split("\n").slice(0, pair[1] - 1).join("\n").length + (pair[1] > 1 ? 1 : 0);
  return Math.min(before + Number(pair[2]) - 1, text.length);
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
    state.textContent = problem ? `Line ${problem.line}, column ${problem.column}: ${problem.reason}` : "Valid JSON";
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

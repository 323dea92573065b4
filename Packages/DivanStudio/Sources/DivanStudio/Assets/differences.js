// Finds what differs between two texts.

import { h } from "./base.js";

/// Pairs of lines that are compared; beyond them, a changed region is shown as replaced.
const comparedCount = 1_000_000;
/// Equal lines that are shown around changes.
const contextCount = 3;

/// The lines of two texts as pairs of a kind (" ", "-" or "+") and a line.
export function compare(before, after) {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (line) => [" ", line];
  return [
    ...a.slice(0, start).map(same),
    ...changed(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/// The longest common subsequence of two regions keeps its lines.
function changed(a, b) {
  if (a.length * b.length > comparedCount) return [...a.map((line) => ["-", line]), ...b.map((line) => ["+", line])];
  const row = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * row);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * row + j] = a[i] === b[j] ? lengths[(i + 1) * row + j + 1] + 1
        : Math.max(lengths[(i + 1) * row + j], lengths[i * row + j + 1]);
    }
  }
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push([" ", a[i]]);
      i += 1;
      j += 1;
    } else if (j === b.length || i < a.length && lengths[(i + 1) * row + j] >= lengths[i * row + j + 1]) found.push(["-", a[i++]]);
    else found.push(["+", b[j++]]);
  }
  return found;
}

/// The differing lines with their surroundings.
export function differences(before, after) {
  const lines = compare(before, after);
  const pre = h("pre", { tabindex: 0, class: "differences", "aria-label": "Differences" });
  const isNear = lines.map((_, index) => lines.slice(Math.max(0, index - contextCount), index + contextCount + 1)
    .some(([kind]) => kind !== " "));
  lines.forEach(([kind, line], index) => {
    if (isNear[index]) pre.append(h("span", { class: kind === "-" ? "removed" : kind === "+" ? "added" : null }, kind + " " + line), "\n");
    else if (index === 0 || isNear[index - 1]) pre.append(h("span", { class: "sub" }, "…"), "\n");
  });
  return pre;
}

/// A text in which the part that another text lacks is marked.
export function marked(text, other) {
  if (text === other) return [text];
  let start = 0;
  while (start < text.length && text[start] === other[start]) start += 1;
  let end = 0;
  while (end < text.length - start && end < other.length - start && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  const middle = text.slice(start, text.length - end);
  return [text.slice(0, start), middle && h("mark", {}, middle), text.slice(text.length - end)];
}

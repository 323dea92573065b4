// Completes words in a text field.

import { h } from "./base.js";

const shownCount = 12;
let fieldCount = 0;

/// A text field with a list of the names that begin like the word before the cursor.
///
/// `names` returns a promise; it is called with the first keystroke. Arrow keys choose, Enter or Tab inserts, Escape
/// closes the list.
export function completed(field, names) {
  const id = "completions-" + ++fieldCount;
  const list = h("ul", { id, role: "listbox", "aria-label": "Properties", hidden: true });
  Object.entries({ role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": id })
    .forEach(([name, value]) => field.setAttribute(name, value));
  let known;
  let chosen = 0;
  const close = () => {
    list.hidden = true;
    list.replaceChildren();
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  };
  const mark = () => [...list.children].forEach((item, index) => {
    item.setAttribute("aria-selected", index === chosen);
    if (index === chosen) field.setAttribute("aria-activedescendant", item.id);
  });
  const word = () => field.value.slice(0, field.selectionStart).match(/[\p{L}_`][\p{L}\p{N}_.`$]*$/u)?.[0] ?? "";
  const insert = (name) => {
    field.setRangeText(name, field.selectionStart - word().length, field.selectionStart, "end");
    close();
    field.focus();
  };
  const look = async () => {
    known ??= names().catch(() => []);
    const all = await known;
    const begin = word().toLowerCase();
    const matching = !begin ? [] : all.filter((name) => {
      const text = name.toLowerCase();
      return text !== begin && (text.startsWith(begin) || text.startsWith("`" + begin));
    }).slice(0, shownCount);
    if (!matching.length || document.activeElement !== field) return close();
    chosen = 0;
    list.replaceChildren(...matching.map((name, index) => h("li", { role: "option", id: `${id}-${index}`,
      onmousedown: (event) => { event.preventDefault(); insert(name); } }, name)));
    list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    mark();
  };
  field.addEventListener("input", look);
  field.addEventListener("blur", close);
  field.addEventListener("keydown", (event) => {
    if (list.hidden || event.ctrlKey || event.metaKey) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      chosen = (chosen + step + list.children.length) % list.children.length;
      mark();
    } else if (event.key === "Enter" || event.key === "Tab") insert(list.children[chosen].textContent);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  return h("span", { class: "completed" }, field, list);
}

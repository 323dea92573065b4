// Search by titles and headings. The data is a script, so that it works without a server, too.
"use strict";
(() => {
  const box = document.querySelector(".search");
  const field = box.querySelector("input");
  const list = document.getElementById("found");
  const up = document.body.dataset.up;
  const entries = window.divanTitles.flatMap(([title, target, headings]) => [
    { text: title, place: "", target, weight: 0 },
    ...headings.map(([text, anchor]) => ({ text, place: title, target: `${target}#${anchor}`, weight: 1 })),
  ]);
  const most = 12;
  box.hidden = false;

  function find(words) {
    const found = [];
    for (const entry of entries) {
      const text = entry.text.toLowerCase();
      const all = `${text} ${entry.place.toLowerCase()}`;
      if (!words.every((word) => all.includes(word)) || !text.includes(words[0])) continue;
      found.push({ ...entry, rank: entry.weight * 2 + (text.startsWith(words[0]) ? 0 : 1) });
    }
    return found.sort((a, b) => a.rank - b.rank || a.text.length - b.text.length).slice(0, most);
  }

  function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length ? find(words) : [];
    list.replaceChildren(
      ...found.map((entry) => {
        const item = document.createElement("li");
        const link = document.createElement("a");
        link.href = `${up}/${entry.target}`;
        link.textContent = entry.text;
        if (entry.place) {
          const place = document.createElement("small");
          place.textContent = entry.place;
          link.append(place);
        }
        item.append(link);
        return item;
      }),
    );
    if (words.length && !found.length) {
      const item = document.createElement("li");
      item.className = "none";
      item.textContent = "No title has these words.";
      list.append(item);
    }
    list.hidden = !words.length;
  }

  function step(by) {
    const links = [...list.querySelectorAll("a")];
    const next = links.indexOf(document.activeElement) + by;
    (links[next] ?? field).focus();
  }

  field.addEventListener("input", show);
  field.addEventListener("focus", show);
  box.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter" && document.activeElement === field) list.querySelector("a")?.click();
    else if (event.key === "Escape") {
      field.value = "";
      show();
      field.blur();
    } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  document.addEventListener("click", (event) => {
    if (!box.contains(event.target)) list.hidden = true;
  });
})();

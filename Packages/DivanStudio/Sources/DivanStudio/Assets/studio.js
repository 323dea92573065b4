// Navigation, live changes and keyboard shortcuts.

import { h } from "./base.js";
import { pages } from "./pages.js";

const main = document.getElementById("main");
const live = document.getElementById("live");
let current = {};
let turn = 0;
let timer;
/// The menu entry that each other page belongs to.
const above = { "/collection": "/", "/document": "/", "/new": "/", "/schema": "/", "/import": "/", "/conflict": "/conflicts" };

/// Whether the user is typing; a refresh would discard the input.
function isBusy() {
  return main.querySelector("textarea.tall") || main.contains(document.activeElement)
    && document.activeElement.matches("input, textarea");
}

/// Shows the page at the address; `isLook` refreshes the current page unless the user is typing.
async function show(isLook = false) {
  const own = ++turn;
  clearTimeout(timer);
  const page = pages[location.pathname];
  const sign = isLook ? null : setTimeout(waiting, 250);
  let next;
  try {
    if (!page) throw Object.assign(new Error("There is no page at this address."), { status: 404 });
    next = await page(new URLSearchParams(location.search));
  } catch (error) {
    next = failure(error);
  }
  clearTimeout(sign);
  if (own !== turn) return;
  if (isLook && isBusy()) return tell();
  current = next;
  main.removeAttribute("aria-busy");
  document.title = next.title + " · Divan studio";
  main.replaceChildren(...next.content.flat(3).filter((child) => child != null && child !== false));
  for (const link of document.querySelectorAll("nav a")) {
    const isOpen = link.pathname === (above[location.pathname] ?? location.pathname);
    if (isOpen) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  main.dataset.shown = location.pathname;
  performance.mark("shown");
  if (next.every) timer = setTimeout(() => show(true), next.every);
}

/// Shown for pages that take longer than a moment.
function waiting() {
  main.setAttribute("aria-busy", "true");
  main.replaceChildren(h("p", { class: "loading", role: "status" }, "Loading…"));
}

/// An error as a page, with what can be done.
function failure(error) {
  const isAway = error instanceof TypeError;
  const title = error.status === 404 ? "Not found" : isAway ? "No connection" : "Error";
  const text = isAway ? "The studio does not respond. Check that divan studio is still running." : error.message;
  return { title, content: [h("h1", {}, title), h("p", { class: "note bad", role: "alert" }, text),
    h("div", { class: "bar" }, h("button", { id: "retry", onclick: () => show() }, "Try again"),
      h("a", { class: "button", href: "/" }, "Collections"))] };
}

function open(path) {
  history.pushState(null, "", path);
  show().then(() => { scrollTo(0, 0); main.focus({ preventScroll: true }); });
}

document.addEventListener("open", (event) => open(event.detail));
addEventListener("popstate", () => show());
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[href]");
  const isOurs = link && link.origin === location.origin && pages[link.pathname] && !link.download;
  if (!isOurs || link.hash || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  open(link.pathname + link.search);
});

// MARK: Changes

/// Changes in quick succession cause one refresh, and none while the user is editing.
let pending;
function changed(change) {
  current.onChange?.(change);
  if (!current.watches?.(change) || pending) return;
  pending = setTimeout(() => {
    pending = null;
    if (isBusy()) tell(); else show(true);
  }, 150);
}

function tell() {
  if (main.querySelector(".note.changed")) return;
  main.prepend(h("p", { class: "note changed", role: "status" }, "This page is out of date. Reload it to see the latest changes."));
}

const feed = new EventSource("/changes.stream");
feed.addEventListener("open", () => { live.textContent = "live"; live.className = "on"; });
feed.addEventListener("error", () => { live.textContent = "disconnected"; live.className = "off"; });
feed.addEventListener("hello", (event) => {
  document.getElementById("database").textContent = JSON.parse(event.data).name;
});
feed.addEventListener("change", (event) => changed(JSON.parse(event.data)));

// MARK: Keys

const rows = () => [...main.querySelectorAll("tbody tr a:first-of-type")];
function move(step) {
  const links = rows();
  const at = links.indexOf(document.activeElement);
  links[Math.min(Math.max(at + step, 0), links.length - 1)]?.focus();
}

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches?.("input, textarea, select");
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
    if (event.key === "Escape") event.target.blur?.();
    return;
  }
  const press = (selector) => main.querySelector(selector)?.click();
  const keys = {
    j: () => move(1), k: () => move(-1), n: () => press("#next"), p: () => press("#previous"), e: () => press("#edit"), c: () => press("#new"),
    "/": () => main.querySelector("#filter")?.focus(), "?": () => document.getElementById("help").showModal(),
  };
  const link = document.querySelector(`nav a[data-key="${CSS.escape(event.key)}"]`);
  const action = keys[event.key] ?? (link && (() => link.click()));
  if (!action) return;
  event.preventDefault();
  action();
});

show();

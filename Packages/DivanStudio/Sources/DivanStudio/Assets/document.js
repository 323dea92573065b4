// A document: its text, its revisions and what differs between them, its blobs, and the forms that change it.

import {
  address, bytes, coloured, h, heading, keepsNumbers, load, messages, nothing, open, place, readOnly, rounding, send, tag, write,
} from "./base.js";
import { differences } from "./differences.js";
import { graph, vectors } from "./drawing.js";
import { editor } from "./editor.js";

export async function showDocument(options) {
  const [collection, id] = [options.get("collection") ?? "_default", options.get("id") ?? ""];
  const page = await load(place(collection, id, "/document.json"));
  const resolve = page.conflict
    ? h("a", { class: "button", href: place(collection, id, "/conflict") }, "Resolve conflict") : null;
  const body = h("div", { id: "body" }, page.deleted ? nothing("This document is deleted.") : coloured(write(page.doc)));
  return {
    title: page.id,
    watches: (change) => change.collection === page.collection && change.id === page.id
      && change.rev !== page.rev,
    content: [
      heading(page.id, page.conflict ? tag("in conflict", "bad") : null, page.deleted ? tag("deleted") : null),
      h("p", { class: "sub" }, h("a", { href: address("/collection", { collection }) }, page.collection),
        ` · sequence ${page.sequence} · ${bytes(page.bytes)} · `, h("code", {}, page.rev)),
      page.write && !page.deleted ? changing(page, body, resolve) : resolve && h("div", { class: "bar" }, resolve),
      h("div", { class: "columns" },
        body,
        h("div", {}, h("h2", {}, "Revisions"), revisions(page, body),
          page.blobs.length || page.write && !page.deleted ? h("h2", {}, "Blobs") : null,
          page.blobs.map((blob) => figure(page, blob)),
          page.write && !page.deleted ? uploader(page) : null)),
    ],
  };
}

export async function newDocument(options) {
  const collection = options.get("collection") ?? "_default";
  const index = await load("/index.json");
  return { title: "New document", content: [heading("New document"), h("p", { class: "sub" },
    h("a", { href: address("/collection", { collection }) }, collection)),
  index.write ? composer(collection) : nothing(readOnly("make changes"))] };
}

// MARK: Revisions

/// The graph, and a list of the kept revisions, each compared with the current one.
function revisions(page, body) {
  const [problem, complain] = messages();
  const shown = [...body.childNodes];
  const compare = (revision) => async () => {
    complain();
    try {
      const other = await load(address("/revision.json", { collection: page.collection, id: page.id, rev: revision.revision }));
      const texts = [other.doc, page.doc].map((doc) => doc === null ? "" : write(doc));
      body.replaceChildren(
        h("div", { class: "bar" }, h("span", {}, "From ", h("code", {}, revision.revision.slice(0, 18)), " to the current revision"),
          h("button", { id: "close-differences", onclick: () => body.replaceChildren(...shown) }, "Close")),
        differences(...texts));
    } catch (error) {
      complain(error.message);
    }
  };
  const row = (revision) => h("li", {}, h("code", {}, revision.revision.slice(0, 18)),
    ["current", "deleted", "conflict"].filter((kind) => revision[kind]).map((kind) => tag(kind, kind === "conflict" ? "bad" : "")),
    h("span", { class: "sub" }, " ", revision.bytes == null ? "body not kept" : bytes(revision.bytes), " "),
    revision.bytes == null || revision.current ? null
      : h("button", { "aria-label": "Compare " + revision.revision, onclick: compare(revision) }, "Compare"));
  const listed = page.revisions.filter((revision) => revision.bytes != null || revision.leaf).slice(0, 50);
  return [
    page.revisions.length ? h("div", { class: "scroll" }, graph(page.revisions)) : null,
    page.revisions.some((revision) => revision.vector) ? vectors(page.revisions, h) : null,
    h("ul", { id: "history", class: "plain" }, listed.map(row)), problem,
  ];
}

// MARK: Blobs

function figure(page, blob) {
  const source = place(page.collection, page.id, "/blob") + "&" + new URLSearchParams({ pointer: blob.pointer });
  const note = `${blob.pointer} · ${typeof blob.type === "string" ? blob.type : "unknown type"} · ${bytes(blob.length)}`;
  if (!blob.here) return h("figure", {}, h("figcaption", {}, note + " · content not downloaded"));
  if (!blob.readable) return h("figure", {}, h("figcaption", {}, note + " · content cannot be read"));
  return h("figure", {},
    blob.picture ? h("img", { class: "picture", src: source, alt: "Image at " + blob.pointer, loading: "lazy" }) : null,
    h("figcaption", {}, note + " · ", h("a", { href: source, download: "blob" }, "download")));
}

/// Bytes of a file that fits in a request as base64.
const uploadByteCount = 14e6;

function uploader(page) {
  const [problem, complain] = messages();
  const key = h("input", { id: "blob-key", placeholder: "Property", "aria-label": "Property for the file", size: 14, spellcheck: "false" });
  const file = h("input", { id: "blob-file", type: "file", "aria-label": "File" });
  const upload = async (event) => {
    event.preventDefault();
    const chosen = file.files[0];
    if (!key.value) return key.focus();
    if (!chosen) return complain("Choose a file.");
    if (chosen.size > uploadByteCount) {
      return complain(`The file has ${bytes(chosen.size)}; the studio uploads at most ${bytes(uploadByteCount)}. Use divan blob put.`);
    }
    try {
      const data = (await dataURL(chosen)).replace(/^[^,]*,/, "");
      const target = address("/blob", { collection: page.collection, id: page.id, rev: page.rev, key: key.value });
      await send("POST", target, JSON.stringify({ type: chosen.type || "application/octet-stream", data }));
      open(place(page.collection, page.id));
    } catch (error) {
      complain(error.message);
    }
  };
  return h("form", { class: "bar", id: "upload", onsubmit: upload }, key, file, h("button", {}, "Upload"), problem);
}

function dataURL(file) {
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => fail(new Error("the file cannot be read"));
    reader.readAsDataURL(file);
  });
}

// MARK: Changes

/// The buttons above a document, and their error messages.
function changing(page, body, resolve) {
  const [problem, complain] = messages();
  const shown = [...body.childNodes];
  const done = () => open(place(page.collection, page.id));
  const bar = h("div", { class: "bar" });
  const target = place(page.collection, page.id, "/document.json") + "&" + new URLSearchParams({ rev: page.rev });
  const close = () => { complain(); body.replaceChildren(...shown); bar.replaceChildren(...buttons); };
  const edit = h("button", { id: "edit", onclick: () => {
    if (!keepsNumbers) return complain(rounding);
    const before = write(page.doc);
    const { element, field, check } = editor("The document as JSON", before);
    const changes = h("div", { id: "changes" });
    const save = h("button", { class: "main", id: "save", onclick: async () => {
      complain();
      if (!check()) return;
      try { await send("PUT", target, field.value); done(); } catch (error) { complain(error.message); }
    } }, "Save");
    body.replaceChildren(element, changes);
    bar.replaceChildren(save,
      h("button", { id: "show-changes", onclick: () => {
        changes.replaceChildren(h("h2", {}, "Changes"), differences(before, field.value));
      } }, "Show changes"),
      h("button", { onclick: close }, "Cancel"));
    field.focus();
  } }, "Edit");
  const remove = h("button", { class: "bad", onclick: async () => {
    if (!confirm("Delete “" + page.id + "”? The deletion will sync to all peers.")) return;
    try { await send("DELETE", target, "{}"); done(); } catch (error) { complain(error.message); }
  } }, "Delete");
  const buttons = [edit, remove, resolve].filter(Boolean);
  bar.append(...buttons);
  return [bar, problem];
}

function composer(collection) {
  const name = h("input", { id: "filter", placeholder: "ID (empty: generate one)", "aria-label": "Document ID",
    size: 40, spellcheck: "false" });
  const { element, field, check } = editor("The document as JSON", "{\n  \n}");
  const [problem, complain] = messages();
  const save = h("button", { class: "main", id: "save", onclick: async () => {
    complain();
    if (!check()) return;
    const id = name.value || crypto.randomUUID();
    try { await send("PUT", place(collection, id, "/document.json"), field.value); } catch (error) { return complain(error.message); }
    open(place(collection, id));
  } }, "Save");
  return [h("div", { class: "bar" }, name, save,
    h("a", { class: "button", href: address("/collection", { collection }) }, "Cancel")), problem, element];
}

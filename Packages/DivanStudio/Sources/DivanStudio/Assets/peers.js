// The peers page: processes, their connections and their progress.

import { address, bytes, count, h, table, tag } from "./base.js";
import { svg } from "./drawing.js";

const grouped = (number) => Number(number ?? 0).toLocaleString("en");

/// The status of a process: a listener, a replicator or a mesh.
export function process(status) {
  if (status.verb === "mesh") return mesh(status);
  const isListener = status.verb === "serve";
  const facts = isListener
    ? [count(status.connections?.open ?? 0, "peer"), `sent ${status.documents?.sent}`, `received ${status.documents?.received}`]
    : [status.activity, `pulled ${status.documents?.pulled}`, `pushed ${status.documents?.pushed}`,
      status.pending != null ? `${status.pending} waiting to be pushed` : null, status.error];
  facts.push(`${grouped(status.rates?.documents)} documents/s`, `${bytes(status.rates?.bytes ?? 0)}/s`);
  const saved = status.deltas?.bytesSaved;
  if (saved) facts.push(`${bytes(saved)} saved by deltas`);
  return [
    title(status),
    h("p", { class: "sub" }, (status.urls ?? [status.url]).join(", ")),
    isListener ? null : share(status),
    h("p", {}, facts.filter(Boolean).join(" · ")),
    ...waits(status).map((text) => h("p", { class: "note bad", role: "status" }, "waiting for " + text)),
    status.peers?.length ? table([
      ["Peer", (peer) => peer.user ?? peer.certificate ?? "anonymous"], ["Address", (peer) => peer.address],
      ["Sent", (peer) => peer.documentsSent, "number"], ["Received", (peer) => peer.documentsReceived, "number"],
      ["State", (peer) => peer.active ? tag("active", "good") : tag("idle")],
    ], status.peers) : null,
  ];
}

function title(status) {
  const isOurs = !status.program || status.program === "divan";
  return h("h2", {}, `${isOurs ? "divan " : status.program + ": "}${status.verb}, process ${status.pid}`);
}

/// The status of a mesh: its picture, which the server draws, and a row for each peer.
async function mesh(status) {
  const facts = [`group ${status.group}`, `port ${status.port}`, `${count(status.online ?? 0, "peer")} online`,
    count(status.connections?.open ?? 0, "link")];
  // The time in the address distinguishes pictures. An unchanged one comes from the browser's memory.
  const src = address("/mesh.svg", { process: status.pid, group: status.group, at: status.updated });
  const picture = h("img", { class: "mesh", src, alt: "Links between the peers of " + status.group });
  // A picture without a size yet would make the page jump; the process may have ended meanwhile.
  await picture.decode().catch(() => {});
  const linked = (value) => (peer) => peer.reason ? value(peer) : "–";
  return [
    title(status),
    h("p", {}, facts.join(" · ")),
    h("div", { class: "scroll" }, picture),
    status.peers?.length ? table([
      ["Peer", (peer) => peer.name ?? peer.peerID.slice(0, 12)],
      ["State", (peer) => peer.online ? tag("online", "good") : tag("offline")],
      ["Link", linked((peer) => peer.reason)], ["Direction", linked((peer) => peer.direction)],
      ["Replication", linked((peer) => peer.activity)],
      ["Documents/s", linked((peer) => grouped(peer.rate)), "number"],
      ["Pending", linked((peer) => grouped(peer.pending)), "number"],
      ["Documents", (peer) => grouped(peer.documents), "number"],
      ["Last error", (peer) => peer.error ?? ""],
    ], status.peers) : null,
  ];
}

/// The progress of a replication, as far as its total is known.
function share(status) {
  if (!["busy", "connecting"].includes(status.activity)) return null;
  const done = Number(status.documents?.pulled ?? 0) + Number(status.documents?.pushed ?? 0);
  const expected = Number(status.expected ?? 0);
  const units = status.progress ?? {};
  const [value, max] = expected >= done && expected > 0 ? [done, expected] : [Number(units.completed ?? 0), Number(units.total ?? 0)];
  if (!max) return null;
  const percent = Math.min(100, Math.floor(value * 100 / max));
  const what = max === expected ? "documents" : "steps";
  return h("p", { class: "share" }, h("progress", { value, max, "aria-label": "Progress" }),
    `${percent}%, ${grouped(value)} of ${grouped(max)} ${what}`);
}

/// What it is waiting for, if that takes unusually long.
function waits(status) {
  const texts = status.responding === false
    ? ["its own thread, blocked by a filter, a listener without a queue, or the disk"] : [];
  if (status.activity === "offline") return texts;
  const peers = (status.peers ?? []).flatMap((peer) => (peer.waits ?? []).map((wait) =>
    ({ ...wait, whose: `${peer.user ?? peer.certificate ?? "anonymous"} at ${peer.address}: ` })));
  const long = [...(status.waits ?? []), ...peers].filter((wait) => wait.seconds >= 2);
  for (const wait of long.slice(0, 3)) {
    const place = wait.collection && wait.collection !== "_default._default" ? " in " + wait.collection : "";
    texts.push(`${wait.whose ?? ""}${wait.for}${place}, ${grouped(wait.seconds)} s`);
  }
  if (!long.length && status.stall) texts.push(status.stall);
  return texts;
}

// MARK: The drawing

/// The edges of the graph: a replicator and its listener share one edge if both are known.
function lines(own, processes, others) {
  const nodes = new Map();
  const node = (key, text, kind) => {
    if (!nodes.has(key)) nodes.set(key, { key, text, kind });
    return key;
  };
  const all = [...processes.map((status) => [status, own]), ...others.map((status) => [status, status.database])];
  const home = (status, name) => node("db " + (status.path ?? name), name, name === own ? "own" : "local");
  node("db " + (processes[0]?.path ?? own), own, "own");
  const listeners = new Map();
  for (const [status, name] of all) {
    if (status.verb !== "serve") continue;
    for (const peer of status.peers ?? []) if (peer.connection) listeners.set(peer.connection, [status, name, peer]);
  }
  const found = [];
  const met = new Set();
  for (const [status, name] of all) {
    if (status.verb === "serve" || !status.url) continue;
    const other = status.connection ? listeners.get(status.connection) : null;
    if (other) met.add(status.connection);
    const to = other ? home(other[0], other[1]) : node("url " + status.url, place(status.url), "remote");
    found.push({ from: home(status, name), to, verb: status.verb, state: status.activity, active: status.activity === "busy" });
  }
  for (const [status, name] of all) {
    if (status.verb !== "serve") continue;
    const to = home(status, name);
    for (const peer of status.peers ?? []) {
      if (met.has(peer.connection)) continue;
      const who = peer.user ?? peer.certificate ?? peer.address;
      const from = node("peer " + who + (peer.user ? "" : peer.address), who, "remote");
      found.push({ from, to, verb: "connected", state: peer.active ? "busy" : "idle", active: peer.active });
    }
  }
  return { nodes: [...nodes.values()], edges: found };
}

/// A short name for a peer: host and path.
function place(url) {
  try {
    const { host, pathname } = new URL(url);
    return (host + pathname) || url;
  } catch { return url; }
}

/// Draws the databases on this machine and their peers in a ring, with a line for each connection.
///
/// Arrows show the direction of documents.
export function room(name, processes, others) {
  const { nodes, edges } = lines(name, processes, others);
  if (!edges.length) return null;
  const shown = nodes.slice(0, 24);
  const ring = Math.max(80, shown.length * 14);
  const [width, height] = [720, ring * 2 + 60];
  const points = new Map(shown.map((each, index) => {
    // This database is at the left.
    const angle = Math.PI + index * 2 * Math.PI / shown.length;
    return [each.key, { x: width / 2 + Math.cos(angle) * ring * 1.3, y: height / 2 + Math.sin(angle) * ring, angle }];
  }));
  const names = new Map(shown.map((each) => [each.key, each.text]));
  const known = edges.filter((edge) => points.has(edge.from) && points.has(edge.to));
  const picture = svg("svg", { class: "graph", id: "room", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": known.map((edge) => `${names.get(edge.from)} ${edge.verb} ${names.get(edge.to)}, ${edge.state}`).join("; ") });
  for (const edge of known) picture.append(line(edge, points, names));
  for (const each of shown) picture.append(mark(each, points.get(each.key), width));
  return picture;
}

function line(edge, points, names) {
  const [from, to] = [points.get(edge.from), points.get(edge.to)];
  const group = svg("g", { class: edge.active ? "active" : "" });
  group.append(svg("title", {}, `${names.get(edge.from)} – ${names.get(edge.to)}: ${edge.verb}, ${edge.state}`));
  group.append(svg("path", { class: edge.active ? "edge active" : "edge", d: `M${from.x} ${from.y}L${to.x} ${to.y}` }));
  if (edge.verb !== "pull" && edge.verb !== "fetch") group.append(arrow(from, to));
  if (edge.verb !== "push") group.append(arrow(to, from));
  return group;
}

/// The head of an arrow before its end.
function arrow(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const tip = [to.x - dx * 12, to.y - dy * 12];
  const back = [to.x - dx * 22, to.y - dy * 22];
  const sides = [1, -1].map((side) => `${back[0] - dy * 5 * side} ${back[1] + dx * 5 * side}`);
  return svg("path", { class: "arrow", d: `M${tip.join(" ")}L${sides[0]}L${sides[1]}Z` });
}

function mark(each, point, width) {
  const isLeft = point.x < width / 2 - 1;
  const group = svg("g", { class: each.kind === "remote" ? "" : each.kind === "own" ? "current own" : "current" });
  group.append(svg("title", {}, each.text));
  group.append(svg("circle", { cx: point.x, cy: point.y, r: each.kind === "own" ? 9 : 7 }));
  group.append(svg("text", { x: point.x + (isLeft ? -14 : 14), y: point.y + 4, "text-anchor": isLeft ? "end" : "start" },
    each.text.length > 24 ? each.text.slice(0, 23) + "…" : each.text));
  return group;
}

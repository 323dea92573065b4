// Draws the revisions of a document.

const space = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, text) {
  const element = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text != null) element.textContent = text;
  return element;
}

/// The revisions as a graph: the oldest at the left, each branch in its own row.
export function graph(revisions) {
  const places = new Map(revisions.map((revision, index) => [revision.revision, index]));
  const parents = revisions.map((revision) => places.get(revision.parent));
  const lanes = layout(revisions, parents);
  const [step, row] = [26, 30];
  const depth = Math.max(...lanes.map((point) => point.x), 0);
  const longest = Math.max(...revisions.map((revision) => revision.leaf ? words(revision).join(" ").length : 0), 0);
  const width = 40 + depth * step + longest * 7.4;
  const height = Math.max(...lanes.map((point) => point.y), 0) * row + 40;
  const picture = svg("svg", {
    class: "graph", viewBox: `0 0 ${width} ${height}`, width, height, role: "img",
    "aria-label": revisions.length + " revisions",
  });
  const at = (point) => [16 + point.x * step, 20 + point.y * row];
  revisions.forEach((revision, index) => {
    if (parents[index] == null) return;
    const [x1, y1] = at(lanes[parents[index]]);
    const [x2, y2] = at(lanes[index]);
    picture.append(svg("path", { class: "edge", d: `M${x1} ${y1}C${x1} ${y2} ${x1} ${y2} ${x2} ${y2}` }));
  });
  revisions.forEach((revision, index) => {
    const [x, y] = at(lanes[index]);
    const kinds = ["current", "deleted", "conflict"].filter((kind) => revision[kind]);
    const group = svg("g", { class: kinds.join(" ") });
    const isKept = revision.bytes != null;
    group.append(svg("title", {}, revision.revision + (isKept ? "" : " (body not stored)")));
    group.append(svg("circle", { cx: x, cy: y, r: isKept ? 6 : 4 }));
    picture.append(group);
    if (revision.leaf) picture.append(label(revision, x, y));
  });
  return picture;
}

/// A revision's label: the start of its ID, and notes.
function words(revision) {
  const name = revision.revision.length > 24 ? revision.revision.slice(0, 18) + "…" : revision.revision;
  const notes = ["current", "deleted", "conflict"].filter((kind) => revision[kind]);
  if (revision.vector) notes.push(revision.own ? "written by this database" : "written by another peer");
  const count = revision.remotes?.length ?? 0;
  if (count) notes.push(`known to ${count} ${count === 1 ? "peer" : "peers"}`);
  return [name, notes.join(", ")];
}

function label(revision, x, y) {
  const [name, notes] = words(revision);
  const text = svg("text", { x: x + 14, y: y + 4 }, name);
  if (notes) text.append(svg("tspan", { class: "faint", dx: 8 }, notes));
  return text;
}

/// A position for each revision; the branch of the current revision is in the first row.
function layout(revisions, parents) {
  const points = revisions.map(() => null);
  const depth = (index) => {
    let count = 0;
    for (let at = index; parents[at] != null; at = parents[at]) count += 1;
    return count;
  };
  const leaves = revisions.map((_, index) => index).filter((index) => revisions[index].leaf)
    .sort((a, b) => (revisions[b].current ?? false) - (revisions[a].current ?? false));
  let line = 0;
  for (const leaf of [...leaves, ...revisions.keys()]) {
    if (points[leaf]) continue;
    let x = depth(leaf);
    for (let at = leaf; at != null && !points[at]; at = parents[at]) points[at] = { x: x--, y: line };
    line += 1;
  }
  return points;
}

/// The version vector of each revision.
export function vectors(revisions, h) {
  return revisions.map((revision) => h("p", {},
    h("code", {}, revision.revision),
    revision.merged?.length ? h("span", { class: "sub" }, " merged " + revision.merged.join(", ")) : null,
    revision.previous?.length ? h("span", { class: "sub" }, " after " + revision.previous.join(", ")) : null));
}

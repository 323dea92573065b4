// Draws the rows of a query: bars, lines over numbers or time, and points on a map.

import { brief, nothing } from "./base.js";
import { svg } from "./drawing.js";

const [width, height] = [900, 340];
const edge = { left: 64, right: 16, top: 12, bottom: 44 };
const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom };
/// Bars that are drawn; more would be too narrow.
const barCount = 60;

/// The chart of two columns, or a sentence why there is none.
export function chart(kind, answer, x, y) {
  if (kind === "map") return map(answer);
  const points = answer.rows.map((row) => ({ x: row[x], y: number(row[y]) })).filter((point) => point.y != null);
  if (!points.length) return nothing(`${answer.columns[y]} has no numbers.`);
  const label = `${answer.columns[y]} by ${answer.columns[x]}`;
  return kind === "bars" ? bars(points, label) : lines(points, label);
}

/// A finite number; nothing else is drawn.
function number(value) {
  if (value == null || typeof value === "boolean" || value === "" || typeof value === "object" && value.text == null) return null;
  const found = Number(value);
  return Number.isFinite(found) ? found : null;
}

const time = (value) => typeof value === "string" && /^\d{4}-\d\d(-\d\d)?/.test(value) ? Date.parse(value) : NaN;

function frame(kind, label) {
  return svg("svg", { class: "chart " + kind, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
}

/// Round numbers between two limits.
function ticks(least, most) {
  const step = 10 ** Math.floor(Math.log10((most - least) / 4 || 1));
  const unit = [1, 2, 5, 10].map((factor) => factor * step).find((size) => (most - least) / size <= 6) ?? step;
  const found = [];
  for (let index = Math.ceil(least / unit); index * unit <= most && found.length < 12; index += 1) found.push(index * unit);
  return found;
}

const short = (value) => Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 });

/// A scale from values to pixels; a single value is in the middle.
const scale = (least, most, from, to) => (value) => most === least ? (from + to) / 2 : from + (value - least) / (most - least) * (to - from);

function vertical(picture, least, most) {
  const at = scale(least, most, height - edge.bottom, edge.top);
  for (const tick of ticks(least, most)) {
    picture.append(svg("path", { class: "axis", d: `M${edge.left} ${at(tick)}H${width - edge.right}` }),
      svg("text", { x: edge.left - 6, y: at(tick) + 4, "text-anchor": "end" }, short(tick)));
  }
  return at;
}

/// A label below the axis.
const below = (x, text) => svg("text", { x, y: height - edge.bottom + 18, "text-anchor": "middle" },
  text.length > 16 ? text.slice(0, 15) + "…" : text);

function titled(element, text) {
  element.append(svg("title", {}, text));
  return element;
}

function bars(all, label) {
  const points = all.slice(0, barCount);
  const picture = frame("bars", label + (all.length > barCount ? `, the first ${barCount} rows` : ""));
  const values = points.map((point) => point.y);
  const at = vertical(picture, Math.min(0, ...values), Math.max(0, ...values));
  const step = inner.width / points.length;
  const every = Math.ceil(points.length / 9);
  points.forEach((point, index) => {
    const x = edge.left + index * step;
    const [top, bottom] = [Math.min(at(point.y), at(0)), Math.max(at(point.y), at(0))];
    picture.append(titled(svg("rect", { class: "bar-mark", x: x + step * 0.1, y: top, width: step * 0.8, height: Math.max(bottom - top, 1) }),
      `${brief(point.x)}: ${short(point.y)}`));
    if (index % every === 0) picture.append(below(x + step / 2, brief(point.x)));
  });
  return picture;
}

function lines(points, label) {
  const isTime = points.every((point) => !Number.isNaN(time(point.x)));
  const place = isTime ? time : number;
  if (points.some((point) => place(point.x) == null)) return nothing("The horizontal axis of lines needs numbers or times.");
  const sorted = points.map((point) => ({ ...point, at: place(point.x) })).sort((a, b) => a.at - b.at);
  const picture = frame("lines", label);
  const values = sorted.map((point) => point.y);
  const up = vertical(picture, Math.min(...values), Math.max(...values));
  const [first, last] = [sorted[0].at, sorted.at(-1).at];
  const across = scale(first, last, edge.left, width - edge.right);
  const marks = isTime ? [0, 1, 2, 3, 4].map((part) => first + (last - first) * part / 4) : ticks(first, last);
  for (const mark of new Set(marks)) {
    picture.append(below(across(mark), isTime ? moment(mark, last - first) : short(mark)));
  }
  picture.append(svg("path", { class: "line-mark", d: sorted.map((point, index) =>
    `${index ? "L" : "M"}${across(point.at).toFixed(1)} ${up(point.y).toFixed(1)}`).join("") }));
  for (const point of sorted) {
    picture.append(titled(svg("circle", { class: "point", cx: across(point.at), cy: up(point.y), r: 2.5 }),
      `${brief(point.x)}: ${short(point.y)}`));
  }
  return picture;
}

/// A day, or a time of day where all are within two days.
function moment(milliseconds, range) {
  const text = new Date(milliseconds).toISOString();
  return range > 2 * 86_400_000 ? text.slice(0, 10) : text.slice(5, 16).replace("T", " ");
}

// MARK: Places

/// The rows as points, north up; degrees are equally long in both directions.
function map(answer) {
  const places = answer.rows.map((row) => ({ row, ...position(answer.columns, row) })).filter((place) => place.latitude != null);
  if (!places.length) return nothing("No row has a latitude and a longitude, or a GeoJSON point.");
  const range = (values) => [Math.min(...values), Math.max(...values)];
  const [south, north] = range(places.map((place) => place.latitude));
  const [west, east] = range(places.map((place) => place.longitude));
  const degree = Math.min(inner.width / (east - west || 1), inner.height / (north - south || 1));
  const across = (longitude) => edge.left + inner.width / 2 + (longitude - (west + east) / 2) * degree;
  const up = (latitude) => edge.top + inner.height / 2 - (latitude - (south + north) / 2) * degree;
  const picture = frame("map", `${places.length} places`);
  for (const tick of ticks(south, north)) {
    picture.append(svg("path", { class: "axis", d: `M${edge.left} ${up(tick)}H${width - edge.right}` }),
      svg("text", { x: edge.left - 6, y: up(tick) + 4, "text-anchor": "end" }, short(tick) + "°"));
  }
  for (const tick of ticks(west, east)) {
    picture.append(svg("path", { class: "axis", d: `M${across(tick)} ${edge.top}V${height - edge.bottom}` }),
      below(across(tick), short(tick) + "°"));
  }
  for (const place of places) {
    picture.append(titled(svg("circle", { class: "point", cx: across(place.longitude), cy: up(place.latitude), r: 4 }),
      place.row.slice(0, 3).map(brief).join(", ")));
  }
  return picture;
}

/// The place of a row: columns for both degrees, or a GeoJSON point.
function position(columns, row) {
  const named = (...names) => number(row[columns.findIndex((title) => names.includes(title.toLowerCase()))]);
  const point = row.find((value) => value?.type === "Point" && Array.isArray(value.coordinates));
  const latitude = point ? number(point.coordinates[1]) : named("lat", "latitude");
  const longitude = point ? number(point.coordinates[0]) : named("lon", "lng", "long", "longitude");
  const isValid = latitude != null && longitude != null && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180;
  return isValid ? { latitude, longitude } : {};
}

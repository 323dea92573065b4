// Tables as text, separated by commas (RFC 4180).

/// Rows of texts as CSV.
export function comma(rows) {
  const field = (text) => /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  return rows.map((row) => row.map((value) => field(String(value))).join(",") + "\r\n").join("");
}

/// The rows of a CSV text; throws an error with the line of a quote that is not closed.
export function fields(text) {
  const rows = [];
  let row = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|\r|$)/y;
  while (field.lastIndex < text.length) {
    const start = field.lastIndex;
    const match = field.exec(text);
    if (!match) throw new Error(`line ${text.slice(0, start).split("\n").length}: a quote is not closed, or in the middle of a value`);
    row.push(match[1] == null ? match[2] : match[1].replaceAll('""', '"'));
    if (match[3] === ",") {
      if (field.lastIndex === text.length) row.push("");
      continue;
    }
    if (match[0] !== match[3] || row.length > 1) rows.push(row);
    row = [];
  }
  if (row.length) rows.push(row);
  return rows;
}

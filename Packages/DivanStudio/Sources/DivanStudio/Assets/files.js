// What the browser keeps for this address, and files that it saves.

/// A kept value; the fallback if there is none, or nothing can be kept.
export function kept(key, fallback) {
  try { return JSON.parse(localStorage.getItem(key)) ?? fallback; } catch { return fallback; }
}

/// Keeps a value, unless the browser refuses.
export function keep(key, value) {
  try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* storage is full or off */ }
}

/// Saves text as a file.
export function saveFile(name, type, text) {
  const source = URL.createObjectURL(new Blob([text], { type: type + ";charset=utf-8" }));
  const link = document.createElement("a");
  link.href = source;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(source), 60_000);
}

/// Rows of texts as CSV (RFC 4180).
export function comma(rows) {
  const field = (text) => /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
  return rows.map((row) => row.map((value) => field(String(value))).join(",") + "\r\n").join("");
}

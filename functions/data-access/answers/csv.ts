/** What differs from item to item, such as names of the app's own, is a column of JSON. */
const MAPS = new Set(['userProperty', 'eventProperty', 'properties']);

/** Items as CSV (RFC 4180): a line of names, then one for each item. Fields of fields are named `device.model`. */
export function csvOf(items: readonly object[]): string {
  const rows = items.map((item) => new Map(cellsOf(item, '')));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const lines = [names, ...rows.map((row) => names.map((name) => row.get(name)))];
  return items.length === 0 ? '' : lines.map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('');
}

const cellsOf = (item: object, above: string): [string, unknown][] =>
  Object.entries(item).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !MAPS.has(name)
      ? cellsOf(value, `${above}${name}.`)
      : [[`${above}${name}`, value]],
  );

/** A text that a spreadsheet would run as a formula begins with an apostrophe. Numbers stay as they are. */
function cellText(value: unknown): string {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '');
  const plain = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

import { bad, good, heading } from '../../local/colour.ts';
import { type ApiKey, keyState } from '../../shared/access/api-key.ts';
import type { Millis } from '../../shared/runtime/clock.ts';

const WIDTH = 80;
const GAP = '  ';

interface Column {
  readonly title: string;
  readonly width: number;
  readonly of: (key: ApiKey, now: Millis) => string;
  readonly paint?: (text: string, key: ApiKey, now: Millis) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'ID', width: 12, of: ({ id }) => id },
  { title: 'NAME', width: 16, of: ({ name = '-' }) => name },
  { title: 'STATE', width: 7, of: keyState, paint: inItsColour },
  { title: 'CREATED', width: 10, of: ({ createdAt }) => day(createdAt) },
  {
    title: 'EXPIRES',
    width: 10,
    of: ({ expiresAt }) => (expiresAt === undefined ? 'never' : day(expiresAt)),
  },
  {
    title: 'LAST USED',
    width: 10,
    of: ({ lastUsedAt }) => (lastUsedAt === undefined ? 'never' : day(lastUsedAt)),
  },
];

/** Keys in 80 columns, each with its apps below. Days are UTC. */
export function keyTable(keys: readonly ApiKey[], now: Millis): string {
  const line = (cell: (column: Column) => string, key?: ApiKey) =>
    COLUMNS.map((column) => {
      const text = clipped(cell(column), column.width).padEnd(column.width);
      return key && column.paint ? column.paint(text, key, now) : text;
    })
      .join(GAP)
      .trimEnd();
  const rows = keys.flatMap((key) => [line((column) => column.of(key, now), key), ...appLines(key)]);
  return [heading(line(({ title }) => title)), ...rows].join('\n');
}

function inItsColour(text: string, key: ApiKey, now: Millis): string {
  return keyState(key, now) === 'good' ? good(text) : bad(text);
}

function appLines({ apps }: ApiKey): string[] {
  const lines: string[] = [];
  for (const app of apps) {
    const longer = `${lines.at(-1)}, ${app}`;
    if (lines.length > 0 && longer.length < WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`${GAP}${lines.length === 0 ? 'may read ' : ''}${app}`);
  }
  return lines;
}

/** A key as JSON. Times are ISO 8601 in UTC, or null. */
export function plainKey(key: ApiKey, now: Millis) {
  const time = (at: Millis | undefined) => (at === undefined ? null : new Date(at).toISOString());
  return {
    id: key.id,
    name: key.name ?? null,
    apps: key.apps,
    state: keyState(key, now),
    createdAt: time(key.createdAt),
    expiresAt: time(key.expiresAt),
    revokedAt: time(key.revokedAt),
    lastUsedAt: time(key.lastUsedAt),
  };
}

const clipped = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text;

const day = (at: Millis | undefined): string =>
  at === undefined ? '-' : new Date(at).toISOString().slice(0, 10);

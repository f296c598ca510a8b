import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { inDuckDb } from '../../local/data/duckdb.ts';
import type { Table } from '../../shared/statistics/attribution.ts';
import type { Leaf } from '../../shared/statistics/attribution-gain.ts';

/** Values by dimension, such as `{ cdn: '5', p2p: '0' }`. */
export type CauseValues = Readonly<Record<string, string>>;

/** A change of amount per weight, and its known causes. */
export interface Case {
  name: string;
  table: Table;
  causes: readonly CauseValues[];
}

/** One row of a file: the counts of one minute for one combination of values. */
interface MinuteRow {
  minute: number;
  values: readonly string[];
  amount: number;
  weight: number;
}

const causeSchema = z.record(z.string(), z.union([z.string(), z.number()]).transform(String));
const labelsSchema = z.record(
  z.string(),
  z.object({
    timestamp: z.number(),
    cause: z.union([causeSchema.transform((cause) => [cause]), z.array(causeSchema).min(1)]),
  }),
);

/** The columns of a file that are not dimensions: Unix seconds, failures and total requests. */
const rowSchema = z.object({ min: z.coerce.number(), value: z.coerce.number(), cnt: z.coerce.number() });

/** All cases in the folder's labels.json. Throws `ConfigError` if a file has an invalid line. */
export async function readCases(folder: string): Promise<Case[]> {
  const labels = labelsSchema.parse(JSON.parse(await readFile(join(folder, 'labels.json'), 'utf8')));
  const cases: Case[] = [];
  for (const [name, { timestamp, cause }] of Object.entries(labels)) {
    const { dimensions, rows } = await readRows(join(folder, name));
    cases.push({ name, table: { dimensions, leaves: leavesAt(rows, timestamp) }, causes: cause });
  }
  return cases;
}

async function readRows(file: string): Promise<{ dimensions: string[]; rows: MinuteRow[] }> {
  const read = await inDuckDb((connection) =>
    connection.runAndReadAll('FROM read_csv($file, header = true, all_varchar = true)', { file }),
  );
  const dimensions = read.columnNames().filter((name) => !Object.hasOwn(rowSchema.shape, name));
  const rows = read.getRowObjectsJS().map((record): MinuteRow => {
    const { min, value, cnt } = rowSchema.parse(record);
    const values = dimensions.map((dimension) => String(record[dimension]));
    return { minute: min, values, amount: value, weight: cnt };
  });
  return { dimensions, rows };
}

/** Compares the labelled minute with the mean of normal minutes before it. */
function leavesAt(rows: readonly MinuteRow[], minute: number): Leaf[] {
  const normal = new Set(normalMinutes(rows, minute));
  const leaves = new Map<string, Leaf>();
  for (const row of rows) {
    if (row.minute !== minute && !normal.has(row.minute)) continue;
    const key = JSON.stringify(row.values);
    const leaf = leaves.get(key) ?? {
      values: row.values,
      current: { amount: 0, weight: 0 },
      baseline: { amount: 0, weight: 0 },
    };
    const [part, minutes] = row.minute === minute ? [leaf.current, 1] : [leaf.baseline, normal.size];
    part.amount += row.amount / minutes;
    part.weight += row.weight / minutes;
    leaves.set(key, leaf);
  }
  return [...leaves.values()];
}

/**
 * The half of the earlier minutes with the lowest totals, because the last minutes before a rise may already be part of
 * it. Before a fall (compared with the last minute), the half with the highest totals.
 */
function normalMinutes(rows: readonly MinuteRow[], minute: number): number[] {
  const totals = new Map<number, number>();
  for (const row of rows) totals.set(row.minute, (totals.get(row.minute) ?? 0) + row.amount);
  const before = [...totals].filter(([at]) => at < minute).toSorted(([a], [b]) => a - b);
  const [, last = 0] = before.at(-1) ?? [];
  const direction = (totals.get(minute) ?? 0) < last ? -1 : 1;
  return before
    .toSorted(([, a], [, b]) => direction * (a - b))
    .slice(0, Math.ceil(before.length / 2))
    .map(([at]) => at);
}

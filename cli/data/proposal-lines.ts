import type { TimeFormat } from '../../local/data/import/conversions.ts';
import { type Field, titleOf } from '../../local/data/import/fields.ts';
import type { Proposal } from '../../local/data/import/propose-mapping.ts';
import { type Sample, valueAt } from '../../local/data/import/sample.ts';
import { printable } from '../../shared/runtime/redaction.ts';
import { tableText } from '../terminal/table.ts';
import { safeLines, wrapped } from '../terminal/wrapping.ts';

const COLUMNS = 80;
const GAP = 2;
const WIDEST_NAME = 26;
/** Narrower values are not useful: whole values are dropped first. */
const NARROWEST_VALUE = 13;

const TIME_WORDS: Record<TimeFormat, string> = {
  iso: 'as ISO 8601, in UTC where they have no offset',
  unix: 'as seconds since 1970',
  'unix-ms': 'as milliseconds since 1970',
  'unix-us': 'as microseconds since 1970',
};

/** What each column becomes, with its first values, and the time format. */
export function proposalLines(proposal: Proposal, sample: Sample): string[] {
  const { mapping, missing } = proposal;
  return [
    tableOf(rowsOf(proposal, sample)),
    '',
    ...[...mapping.constants].flatMap(([field, value]) =>
      safeLines(`${titleOf(field)} is "${value}" in all events`),
    ),
    ...(missing.includes('recorded_at') ? [] : wrapped(timesText(proposal, sample))),
    ...platformLines(proposal),
  ];
}

const AND = new Intl.ListFormat('en-GB');

/** Why the file cannot be imported yet, and what to add. */
export function missingText(missing: readonly Field[]): string {
  const options = missing.map((field) => `--map ${field}=COLUMN`).join(' ');
  const settable = missing.find((field) => field !== 'recorded_at');
  const alike = settable ? `, or set one value for all events with --set ${settable}=VALUE` : '';
  const times = missing.includes('recorded_at')
    ? '. Times must be ISO 8601 (2026-03-01T12:00:00Z) or Unix time; convert others first'
    : '';
  return `nothing was imported: no column found for ${AND.format(missing)}. Use ${options}${alike}${times}`;
}

interface Row {
  name: string;
  becomes: string;
  values: readonly { line: number; text: string }[];
}

/** Fields first, then properties. */
function rowsOf({ columns }: Proposal, { first }: Sample): Row[] {
  const ofFields = columns.filter(({ fields }) => fields.length > 0);
  const ofProperties = columns.filter(({ fields }) => fields.length === 0);
  return [...ofFields, ...ofProperties].map(({ name, fields }) => ({
    name: cut(printable(name), WIDEST_NAME),
    becomes: fields.length > 0 ? fields.map(titleOf).join(', ') : 'property',
    values: first.map(({ line, values }) => ({ line, text: shown(valueAt(values, name)) })),
  }));
}

function tableOf(rows: readonly Row[]): string {
  const widthOf = (texts: string[]) => Math.max(...texts.map((text) => text.length));
  const taken =
    widthOf(['column', ...rows.map(({ name }) => name)]) +
    widthOf(['becomes', ...rows.map(({ becomes }) => becomes)]) +
    2 * GAP;
  const lines = rows[0]?.values.map(({ line }) => line) ?? [];
  const fitting = Math.max(1, Math.floor((COLUMNS - taken + GAP) / (NARROWEST_VALUE + GAP)));
  const shownLines = lines.slice(0, fitting);
  const width = Math.max(1, Math.floor((COLUMNS - taken + GAP) / shownLines.length) - GAP);
  return tableText(
    { column: {}, becomes: {}, ...Object.fromEntries(shownLines.map((line) => [`line ${line}`, {}])) },
    rows.map(({ name, becomes, values }) => [
      ...[name, becomes],
      ...shownLines.map((_, i) => cut(values[i]?.text ?? '', width)),
    ]),
  );
}

function timesText({ columns, timeFormat }: Proposal, { first }: Sample): string {
  const name = columns.find(({ fields }) => fields.includes('recorded_at'))?.name ?? '';
  const isDate = first.every(({ values }) => /^\d{4}-\d\d-\d\d$/.test(String(valueAt(values, name))));
  const noClock = isDate ? '; a date without a time is its midnight' : '';
  return `Times are read ${TIME_WORDS[timeFormat]}${noClock}`;
}

function platformLines({ columns, mapping }: Proposal): string[] {
  const isKnown =
    mapping.constants.has('platform') || columns.some(({ fields }) => fields.includes('platform'));
  if (isKnown) return [];
  return wrapped('No column for device_platform, so it is "web"; change it with --set device_platform=ios');
}

function shown(value: unknown): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return printable(text.replaceAll(/\s+/g, ' '));
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

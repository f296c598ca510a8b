import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { appPaths, exists } from '../../local/data/app-file.ts';
import { filterSchema } from '../../shared/contract/filters.ts';
import { isZone } from '../../shared/contract/zone.ts';
import { formatProblems, type Problem } from '../../shared/rule-files/file-problems.ts';
import { check } from '../../shared/rule-files/rule-faults.ts';
import type { Path, RuleSource } from '../../shared/rule-files/rule-source.ts';
import { parseYaml } from '../../shared/rule-files/yaml-source.ts';
import { METRICS, type MetricName } from '../../shared/rules/metric-table.ts';
import { ConfigError } from '../../shared/runtime/errors.ts';
import { nearestWords } from '../../shared/text/nearest-words.ts';
import { RowTimes } from '../series/row-times.ts';
import { generatedLabelsIn } from './generated-labels.ts';
import type { About } from './incident-scope.ts';
import type { Label } from './label.ts';

/** Rules and apps that labels can name. */
export interface Known {
  ruleIds: readonly string[];
  apps: readonly string[];
}

/** The label file in a folder of rules. */
const LABELS_FILE = 'incidents.yaml';

const METRIC_NAMES = Object.keys(METRICS) as [MetricName, ...MetricName[]];

const entrySchema = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    rules: z.array(z.string()).min(1).optional(),
    app: z.string().min(1).optional(),
    metric: z.union([z.enum([...METRIC_NAMES, 'any']), z.array(z.enum(METRIC_NAMES)).min(1)]).optional(),
    filters: z.array(filterSchema).optional(),
    segment: z.string().optional(),
    direction: z.enum(['rise', 'fall']).optional(),
    title: z.string().min(1).max(150),
  })
  .superRefine(({ rules, app, metric, filters, segment, direction }, context) => {
    const problem = (message: string, ...path: string[]) =>
      context.addIssue({ code: 'custom', path, message });
    if ((rules === undefined) === (app === undefined))
      problem('set either "rules" (those that should have fired) or "app"');
    else if (rules && metric !== undefined)
      problem('"rules" already set the metric: remove this key', 'metric');
    else if (app !== undefined && segment !== undefined)
      problem('"segment" goes with "rules"; with "app", use a filter', 'segment');
    else if (app !== undefined && metric === undefined)
      for (const [key, value] of Object.entries({ filters, direction }))
        if (value !== undefined) problem('also set the "metric" that moved, or "metric: any"', key);
  });

const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  zone: z.string().refine(isZone, { error: 'use an IANA time zone, such as Europe/Berlin' }).default('UTC'),
  incidents: z.array(entrySchema),
});

/**
 * The labels of `file`, or of the rules folder without it; `undefined` where neither exists. Throws
 * `ConfigError` with the line and column of every problem.
 */
export async function loadLabels(
  rulesDir: string,
  file: string | undefined,
  known: Known,
): Promise<Label[] | undefined> {
  const path = file ?? join(rulesDir, LABELS_FILE);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (file === undefined && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return undefined;
    throw new ConfigError(
      `${path}: ${error.code === 'ENOENT' ? 'there is no such file' : 'it cannot be read'}`,
      {
        cause: error,
      },
    );
  });
  return text === undefined ? undefined : labelsIn(path, text, known);
}

/**
 * The labels of generated apps; `undefined` where one of `apps` is not generated, since its alerts have no
 * labels.
 */
export async function generatedLabels(
  dataDir: string,
  apps: readonly string[],
): Promise<{ labels: Label[]; files: string[] } | undefined> {
  const files = [...new Set(apps)].map((app) => appPaths(dataDir, app).incidents);
  for (const file of files) if (!(await exists(file))) return undefined;
  const known = { ruleIds: [], apps };
  const labels = await Promise.all(
    files.map(async (file) => labelsIn(file, await readFile(file, 'utf8'), known)),
  );
  return { labels: labels.flat().toSorted((a, b) => a.startAt - b.startAt), files };
}

/** The labels in a text, oldest first. Throws like `loadLabels`. */
export function labelsIn(file: string, text: string, known: Known): Label[] {
  const source = parseYaml(dirname(file), basename(file), text);
  const read = source.value === undefined ? { labels: [], problems: [] } : readLabels(source, known);
  const problems = [...source.problems, ...read.problems];
  if (problems.length > 0) throw new ConfigError(`in ${file}\n\n${formatProblems(problems)}`);
  return read.labels.toSorted((a, b) => a.startAt - b.startAt);
}

interface ReadLabels {
  labels: Label[];
  problems: Problem[];
}

function readLabels(source: RuleSource, known: Known): ReadLabels {
  if (Array.isArray(source.value)) {
    const labels = generatedLabelsIn(source);
    return labels
      ? { labels, problems: [] }
      : {
          labels: [],
          problems: [source.problemAt({ path: [], message: 'must be a map with the key "incidents"' })],
        };
  }
  const checked = check(fileSchema, source.value);
  if (checked.kind === 'faults')
    return {
      labels: [],
      problems: checked.faults.map((fault) => source.problemAt(fault)),
    };
  const { zone, incidents } = checked.value;
  const times = new RowTimes(zone);
  const read = incidents.map((entry, i): Label | Problem[] => {
    const [startAt, endAt] = [times.read(entry.from), times.read(entry.to)];
    const wrong = [...spanFaults(entry, { startAt, endAt }), ...unknownIn(entry, known)];
    if (wrong.length > 0 || startAt === undefined || endAt === undefined)
      return wrong.map(([path, message]) => source.problemAt({ path: ['incidents', i, ...path], message }));
    return { startAt, endAt, title: entry.title, about: aboutOf(entry) };
  });
  return {
    labels: read.flatMap((each) => (Array.isArray(each) ? [] : [each])),
    problems: read.flatMap((each) => (Array.isArray(each) ? each : [])),
  };
}

type Entry = z.output<typeof entrySchema>;

function aboutOf({ rules, app = '', metric, filters, segment, direction }: Entry): About {
  const moved = {
    ...(filters && { filters }),
    ...(segment !== undefined && { segment }),
    ...(direction && { direction }),
  };
  if (rules) return { rules, ...moved };
  if (metric === undefined) return { app };
  return { app, metrics: metric === 'any' || Array.isArray(metric) ? metric : [metric], ...moved };
}

type Wrong = [path: Path, message: string];

const TIMES = 'use a day such as 2026-03-01, or a time such as 2026-03-01T14:00 or 2026-03-01T14:00Z';

function spanFaults(
  { from, to }: Entry,
  { startAt, endAt }: { startAt: number | undefined; endAt: number | undefined },
): Wrong[] {
  const wrong: Wrong[] = [];
  if (startAt === undefined) wrong.push([['from'], `${TIMES}, found "${from}"`]);
  if (endAt === undefined) wrong.push([['to'], `${TIMES}, found "${to}"`]);
  if (startAt !== undefined && endAt !== undefined && endAt <= startAt)
    wrong.push([
      ['to'],
      'must be later than "from"; a day means its start, so to include a day name the next one',
    ]);
  return wrong;
}

function unknownIn({ rules = [], app }: Entry, known: Known): Wrong[] {
  const wrong = rules.flatMap((id, i): Wrong[] =>
    known.ruleIds.includes(id)
      ? []
      : [[['rules', i], `there is no rule "${id}"${meant(nearestWords(id, known.ruleIds))}`]],
  );
  if (app !== undefined && !known.apps.includes(app))
    wrong.push([['app'], `no rule watches the app "${app}"; they watch ${known.apps.join(', ')}`]);
  return wrong;
}

function meant(near: readonly string[]): string {
  return near.length > 0 ? `; did you mean ${near.map((each) => `"${each}"`).join(' or ')}?` : '';
}

import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { isZone } from '../../shared/contract/zone.ts';
import { formatProblems, type Problem } from '../../shared/rule-files/file-problems.ts';
import { check } from '../../shared/rule-files/rule-faults.ts';
import type { Path, RuleSource } from '../../shared/rule-files/rule-source.ts';
import { parseYaml } from '../../shared/rule-files/yaml-source.ts';
import type { Rule } from '../../shared/rules/rule.ts';
import { ConfigError, isErrorCode } from '../../shared/runtime/errors.ts';
import { didYouMean } from '../../shared/text/nearest-words.ts';
import type { Window } from '../../shared/time/window.ts';
import { RowTimes } from '../series/row-times.ts';

/** The file of known incidents in a folder of rules. */
const FILE = 'incidents.yaml';

const entrySchema = z
  .strictObject({
    from: z.string(),
    to: z.string(),
    rules: z.array(z.string()).min(1).optional(),
    segment: z.string().optional(),
    app: z.string().min(1).optional(),
    title: z.string().min(1).max(150),
  })
  .refine(({ rules, app }) => (rules === undefined) !== (app === undefined), {
    error: 'set either "rules" (those that should have fired) or "app"',
  })
  .refine(({ app, segment }) => app === undefined || segment === undefined, {
    error: '"segment" goes with "rules"',
    path: ['segment'],
  });

const fileSchema = z.strictObject({
  $schema: z.string().optional(),
  zone: z.string().refine(isZone, { error: 'use an IANA time zone, such as Europe/Berlin' }).default('UTC'),
  incidents: z.array(entrySchema),
});

type Entry = z.output<typeof entrySchema>;

/** A known incident: when it was, and the rules or the app that it affected. */
export type KnownIncident = Window & Omit<Entry, 'from' | 'to'>;

/**
 * The incidents of `file`, or of the rules folder without it; `undefined` where neither exists. They name only `rules`
 * and their apps. Throws `ConfigError` with the line and column of every problem.
 */
export async function loadIncidents(
  rulesDir: string,
  file: string | undefined,
  rules: readonly Rule[],
): Promise<KnownIncident[] | undefined> {
  const path = file ?? join(rulesDir, FILE);
  try {
    return incidentsIn(path, await readFile(path, 'utf8'), rules);
  } catch (error) {
    const isMissing = isErrorCode(error, 'ENOENT') || isErrorCode(error, 'ENOTDIR');
    if (isMissing && file === undefined) return undefined;
    if (isMissing) throw new ConfigError(`${path}: there is no such file`, { cause: error });
    throw error;
  }
}

/** The incidents in a text, oldest first. Throws like `loadIncidents`. */
export function incidentsIn(file: string, text: string, rules: readonly Rule[]): KnownIncident[] {
  const source = parseYaml(dirname(file), basename(file), text);
  const read = source.value === undefined ? [] : readIncidents(source, rules);
  const problems = [...source.problems, ...read.flatMap((each) => ('problems' in each ? each.problems : []))];
  if (problems.length > 0) throw new ConfigError(`in ${file}\n\n${formatProblems(problems)}`);
  return read.flatMap((each) => ('problems' in each ? [] : each)).toSorted((a, b) => a.startAt - b.startAt);
}

function readIncidents(
  source: RuleSource,
  rules: readonly Rule[],
): (KnownIncident | { problems: Problem[] })[] {
  const checked = check(fileSchema, source.value);
  if (checked.kind === 'faults')
    return [{ problems: checked.faults.map((fault) => source.problemAt(fault)) }];
  const { zone, incidents } = checked.value;
  const times = new RowTimes(zone);
  return incidents.map(({ from, to, ...about }, i) => {
    const [startAt = Number.NaN, endAt = Number.NaN] = [times.read(from), times.read(to)];
    const wrong = [...spanFaults({ from, to }, { startAt, endAt }), ...unknownIn(about, rules)];
    if (wrong.length === 0) return { startAt, endAt, ...about };
    return {
      problems: wrong.map(([path, message]) =>
        source.problemAt({ path: ['incidents', i, ...path], message }),
      ),
    };
  });
}

type Wrong = [path: Path, message: string];

const LATER = 'must be later than "from"; a day means its start, so to include a day name the next one';
const TIMES = 'use a day such as 2026-03-01, or a time such as 2026-03-01T14:00 or 2026-03-01T14:00Z';

function spanFaults({ from, to }: Pick<Entry, 'from' | 'to'>, { startAt, endAt }: Window): Wrong[] {
  const wrong: Wrong[] = [];
  if (Number.isNaN(startAt)) wrong.push([['from'], `${TIMES}, found "${from}"`]);
  if (Number.isNaN(endAt)) wrong.push([['to'], `${TIMES}, found "${to}"`]);
  if (endAt <= startAt) wrong.push([['to'], LATER]);
  return wrong;
}

function unknownIn(
  { rules: named = [], app }: Pick<Entry, 'rules' | 'app'>,
  rules: readonly Rule[],
): Wrong[] {
  const [ids, apps] = [rules.map(({ id }) => id), [...new Set(rules.map((each) => each.app))]];
  const wrong = named.flatMap((id, i): Wrong[] =>
    ids.includes(id) ? [] : [[['rules', i], `there is no rule "${id}"${didYouMean(id, ids)}`]],
  );
  if (app !== undefined && !apps.includes(app))
    wrong.push([['app'], `no rule watches the app "${app}"; they watch ${apps.join(', ')}`]);
  return wrong;
}

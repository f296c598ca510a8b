import { CODES, type Code, type Finding, type FindingSeverity } from '../lint/findings.ts';
import { findingsIn } from '../lint/lint.ts';
import { byPlace, type Problem } from './file-problems.ts';
import { type Ignore, type IgnoreComment, readIgnore } from './ignore-comments.ts';
import type { RuleSource } from './rule-source.ts';
import { TYPESCRIPT_RULES } from './typescript-rule-files.ts';
import type { LoadedRuleFiles } from './yaml-rule-files.ts';

type Loaded = Extract<LoadedRuleFiles, { kind: 'loaded' }>;

/** A finding with its place. `ruleId` is `null` if it is about routes or a comment. */
export interface PlacedFinding extends Problem {
  code: Code;
  severity: FindingSeverity;
  ruleId: string | null;
}

export interface Findings {
  /** In order of their files and lines. */
  findings: PlacedFinding[];
  /** The number of findings that comments ignore. */
  ignored: number;
}

/** Input besides the files. `live` are the findings of the service, if it was asked. */
interface Circumstances {
  now: number;
  /** The calls per hour that the service allows for each app. */
  perHour: number;
  live?: Finding[];
}

/** All findings in a valid folder, without those that its comments ignore. */
export function placedFindings(loaded: Loaded, { now, perHour, live }: Circumstances): Findings {
  const { ruleSet, places } = loaded;
  const found = [...findingsIn({ ...ruleSet, now, perHour }), ...(live ?? [])];
  const ignores = places.sources.flatMap((source) =>
    source.ignores.map((comment): Ignoring => {
      const { file } = source.problemAt({ path: [], message: '' });
      return {
        source,
        file,
        comment,
        ruleId: ruleAround(comment, source, places.rules),
        ...readIgnore(comment.words),
      };
    }),
  );
  // Rules that share a default have equal findings there. One is reported, unless all of them ignore it.
  const shown = new Map<string, PlacedFinding>();
  let ignored = 0;
  for (const finding of found.map((each) => placed(each, loaded))) {
    const { file, line, column, code, message, ruleId } = finding;
    const isIgnored = ignores.some(
      (each) => each.code === code && each.file === file && (each.ruleId ?? ruleId) === ruleId,
    );
    if (isIgnored) ignored++;
    else shown.set([file, line, column, code, message].join('\n'), finding);
  }
  const findings = [...shown.values(), ...ignores.flatMap(wrongComment)];
  return { findings: findings.toSorted(byPlace), ignored };
}

function placed(finding: Finding, { places }: Loaded): PlacedFinding {
  const ruleId = finding.of === 'rule' ? finding.ruleId : null;
  const { problemAt } = (ruleId !== null && places.rules.get(ruleId)) || places.routes;
  const { code, path, message } = finding;
  return { ...problemAt({ path, message }), code, severity: CODES[code], ruleId };
}

/** The id of the rule that the comment is in or before. Elsewhere, and in TypeScript, it is about the whole file. */
function ruleAround({ about }: IgnoreComment, source: RuleSource, rules: Loaded['places']['rules']) {
  const { file } = source.problemAt({ path: [], message: '' });
  const before = [...rules].filter(([, { begins }]) => begins.file === file && begins.line <= about);
  const [last] = before.toSorted(([, a], [, b]) => b.begins.line - a.begins.line);
  return source.name.endsWith(TYPESCRIPT_RULES) ? undefined : last?.[0];
}

/** An ignore comment, and the code that it ignores or what is wrong with it. */
interface Ignoring extends Ignore {
  source: RuleSource;
  file: string;
  comment: IgnoreComment;
  /** `undefined`: it is about the whole file. */
  ruleId: string | undefined;
}

function wrongComment({ source, comment: { line, column, words }, wrong }: Ignoring): PlacedFinding[] {
  if (wrong === undefined) return [];
  const text = `${' '.repeat(column - 1)}# deltawatch-ignore ${words}`.trimEnd();
  const place = { ...source.problemAt({ path: [], message: wrong }), line, column, source: text };
  return [{ ...place, code: 'ignore-wrong', severity: CODES['ignore-wrong'], ruleId: null }];
}

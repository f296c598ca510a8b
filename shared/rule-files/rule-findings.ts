import { CODES, type Code, type Finding, type FindingSeverity, isLive } from '../lint/findings.ts';
import { findingsIn } from '../lint/lint.ts';
import type { Problem } from './file-problems.ts';
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
  const asked = places.sources.flatMap((source) =>
    source.ignores.map((comment): Asked => {
      const ruleId = ruleAround(comment, source, places.rules);
      return { source, comment, ruleId, ignore: readIgnore(comment.words), used: false };
    }),
  );
  // Rules that share a default have equal findings there. One is reported, unless all of them ignore it.
  const shown = new Map<string, PlacedFinding>();
  let ignored = 0;
  for (const finding of found.map((each) => placed(each, loaded))) {
    const asks = asked.filter((ask) => covers(ask, finding));
    for (const ask of asks) ask.used = true;
    const { file, line, column, code, message } = finding;
    if (asks.length > 0) ignored++;
    else shown.set([file, line, column, code, message].join('\n'), finding);
  }
  const ofComments = asked.flatMap((ask) => commentFinding(ask, live !== undefined));
  const findings = [...shown.values(), ...ofComments];
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

function covers({ source, ruleId, ignore }: Asked, finding: PlacedFinding): boolean {
  if (ignore.kind === 'wrong' || ignore.code !== finding.code) return false;
  const { file } = source.problemAt({ path: [], message: '' });
  return finding.file === file && (ruleId === undefined || finding.ruleId === ruleId);
}

/** An ignore comment, its parsed content, and whether it matched a finding. */
interface Asked {
  source: RuleSource;
  comment: IgnoreComment;
  /** `undefined`: it is about the whole file. */
  ruleId: string | undefined;
  ignore: Ignore;
  used: boolean;
}

/** The finding for a comment that is wrong or ignores nothing. */
function commentFinding({ source, comment, ignore, used }: Asked, isServiceAsked: boolean): PlacedFinding[] {
  const { line, column, words } = comment;
  const about = (code: Code, message: string): PlacedFinding[] => [
    {
      ...source.problemAt({ path: [], message }),
      ...{ line, column, source: `${' '.repeat(column - 1)}# deltawatch-ignore ${words}`.trimEnd() },
      ...{ code, severity: CODES[code], ruleId: null },
    },
  ];
  if (ignore.kind === 'wrong') return about('ignore-wrong', ignore.message);
  if (used || (isLive(ignore.code) && !isServiceAsked)) return [];
  return about('ignore-idle', `there is no ${ignore.code} here to ignore; remove the comment`);
}

function byPlace(a: PlacedFinding, b: PlacedFinding): number {
  return (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column;
}

import { CODES, type Code, type Finding, type FindingSeverity, isLive } from '../lint/findings.ts';
import { findingsIn } from '../lint/lint.ts';
import type { Problem } from './file-problems.ts';
import { type Ignore, type IgnoreComment, readIgnore } from './ignore-comments.ts';
import type { RuleSource } from './rule-source.ts';
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
      return { source, comment, ignore: readIgnore(comment.words, now), used: false };
    }),
  );
  // Rules that share a default have equal findings there. One is reported, unless all of them ignore it.
  const shown = new Map<string, PlacedFinding>();
  let ignored = 0;
  for (const { finding, begins } of found.map((each) => placed(each, loaded))) {
    const asks = asked.filter((ask) => covers(ask, finding, begins));
    for (const ask of asks) ask.used = true;
    const { file, line, column, code, message } = finding;
    if (asks.some(({ ignore }) => ignore.kind === 'active')) ignored++;
    else shown.set([file, line, column, code, message].join('\n'), finding);
  }
  const ofComments = asked.flatMap((ask) => commentFinding(ask, live !== undefined));
  const findings = [...shown.values(), ...ofComments];
  return { findings: findings.toSorted(byPlace), ignored };
}

/** With the place of its rule: a comment before a rule also covers findings in its defaults. */
function placed(finding: Finding, { places }: Loaded) {
  const rule = finding.of === 'rule' ? places.rules.get(finding.ruleId) : undefined;
  const { problemAt } = rule ?? places.routes;
  const { code, path, message } = finding;
  const ruleId = finding.of === 'rule' ? finding.ruleId : null;
  return {
    finding: { ...problemAt({ path, message }), code, severity: CODES[code], ruleId },
    begins: rule?.begins,
  };
}

type Place = Pick<Problem, 'file' | 'line'>;

function covers({ source, comment, ignore }: Asked, finding: PlacedFinding, begins: Place | undefined) {
  if (ignore.kind === 'wrong' || ignore.code !== finding.code) return false;
  const file = source.problemAt({ path: [], message: '' }).file;
  const { from, through } = comment;
  return [finding, ...(begins ? [begins] : [])].some(
    (place) => place.file === file && from <= place.line && place.line <= through,
  );
}

/** An ignore comment, its parsed content, and whether it matched a finding. */
interface Asked {
  source: RuleSource;
  comment: IgnoreComment;
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

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
  /** Paths of the files to report. By default all of the folder. */
  files?: ReadonlySet<string> | undefined;
}

/** All findings in a valid folder, without those that its comments ignore. */
export function placedFindings(loaded: Loaded, { now, perHour, live, files }: Circumstances): Findings {
  const { ruleSet, places } = loaded;
  const isWanted = ({ file }: Pick<Problem, 'file'>) => files?.has(file) ?? true;
  const keysOf = (id: string) => places.rules.get(id)?.keys ?? new Set<string>();
  const found = [...findingsIn({ ...ruleSet, keysOf, now, perHour }), ...(live ?? [])];
  const asked = places.sources.flatMap((source) =>
    source.ignores.map(
      (comment): Asked => ({
        source,
        comment,
        ignore: readIgnore(comment.words, now),
        used: false,
      }),
    ),
  );
  const findings: PlacedFinding[] = [];
  let ignored = 0;
  const all = found.map((finding) => placed(finding, loaded)).filter(({ finding }) => isWanted(finding));
  for (const same of alike(all)) {
    const asks = same.map((each) =>
      asked.filter(({ source, comment, ignore }) => covers(each, source, comment, ignore)),
    );
    for (const ask of asks.flat()) ask.used = true;
    const left = same.flatMap(({ finding }, i) => {
      const ignores = asks[i]?.map(({ ignore }) => ignore) ?? [];
      return ignores.some(({ kind }) => kind === 'active') ? [] : [{ finding, ignore: ignores[0] }];
    });
    const shown = left.find(({ ignore }) => ignore !== undefined) ?? left[0];
    if (shown) findings.push(withExpiry(shown.finding, shown.ignore));
    else ignored++;
  }
  for (const ask of asked) findings.push(...commentFinding(ask, live !== undefined).filter(isWanted));
  return { findings: findings.toSorted(byPlace), ignored };
}

/** A finding with the line of its rule: a comment before a rule also covers findings in its defaults. */
interface Placed {
  finding: PlacedFinding;
  begins: Pick<Problem, 'file' | 'line'> | undefined;
}

function placed(finding: Finding, { places }: Loaded): Placed {
  const rule = finding.of === 'rule' ? places.rules.get(finding.ruleId) : undefined;
  const { problemAt } = rule ?? places.routes;
  const { code, path, message } = finding;
  return {
    finding: {
      ...problemAt({ path, message }),
      code,
      severity: CODES[code],
      ruleId: finding.of === 'rule' ? finding.ruleId : null,
    },
    begins: rule?.begins,
  };
}

/** Groups equal findings of rules that share a default. They are ignored only if every rule ignores them. */
function alike(all: Placed[]): Placed[][] {
  const byText = Map.groupBy(all, ({ finding: { file, line, column, code, message } }) =>
    [file, line, column, code, message].join('\n'),
  );
  return [...byText.values()];
}

function covers(
  { finding, begins }: Placed,
  source: RuleSource,
  { from, through }: IgnoreComment,
  ignore: Ignore,
): boolean {
  if (ignore.kind === 'wrong' || ignore.code !== finding.code) return false;
  const file = source.problemAt({ path: [], message: '' }).file;
  const isAbout = (place: Pick<Problem, 'file' | 'line'> | undefined) =>
    place !== undefined && place.file === file && from <= place.line && place.line <= through;
  return isAbout(finding) || isAbout(begins);
}

function withExpiry(finding: PlacedFinding, ignore: Ignore | undefined): PlacedFinding {
  if (ignore?.kind !== 'expired') return finding;
  return {
    ...finding,
    message: `${finding.message} (it was ignored until ${ignore.untilDay})`,
  };
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

import {
  CODES,
  type Code,
  type Finding,
  type FindingSeverity,
  isLive,
} from '../../alerting/lint/findings.ts';
import { type Ignore, readIgnore } from '../../alerting/lint/ignores.ts';
import { findingsIn } from '../../alerting/lint/lint.ts';
import type { Problem } from './file-problems.ts';
import type { IgnoreComment } from './ignore-comments.ts';
import type { RuleSource } from './rule-source.ts';
import type { LoadedRuleFiles } from './yaml-rule-files.ts';

type Loaded = Extract<LoadedRuleFiles, { kind: 'loaded' }>;

/** A finding at the place that it is about; `ruleId` is `null` where it is about routes or a comment. */
export interface PlacedFinding extends Problem {
  code: Code;
  severity: FindingSeverity;
  ruleId: string | null;
}

export interface Findings {
  /** In order of their files and lines. */
  findings: PlacedFinding[];
  /** How many more there are that comments ask to be ignored. */
  ignored: number;
}

/** What is looked at beside the files; `live` is what the service told, where it was asked. */
interface Circumstances {
  now: number;
  /** Calls an hour that the service allows for each app. */
  perHour: number;
  live?: Finding[];
  /** Paths of the files whose findings are wanted; all of the folder without it. */
  files?: ReadonlySet<string> | undefined;
}

/** All that lint finds in a folder that can be read, but for what its comments ask to be ignored. */
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
      return ignores.some(({ kind }) => kind === 'in-force') ? [] : [{ finding, ignore: ignores[0] }];
    });
    const shown = left.find(({ ignore }) => ignore !== undefined) ?? left[0];
    if (shown) findings.push(withExpiry(shown.finding, shown.ignore));
    else ignored++;
  }
  for (const ask of asked) findings.push(...commentFinding(ask, live !== undefined).filter(isWanted));
  return { findings: findings.toSorted(byPlace), ignored };
}

/** A finding with the line on which its rule begins, as a comment before a rule is about what its defaults do to it, too. */
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
      ...problemAt(path, message),
      code,
      severity: CODES[code],
      ruleId: finding.of === 'rule' ? finding.ruleId : null,
    },
    begins: rule?.begins,
  };
}

/** What a default does to many rules is one finding, and ignored where all of them ask for that. */
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
  const file = source.problemAt([], '').file;
  const isAbout = (place: Pick<Problem, 'file' | 'line'> | undefined) =>
    place !== undefined && place.file === file && from <= place.line && place.line <= through;
  return isAbout(finding) || isAbout(begins);
}

function withExpiry(finding: PlacedFinding, ignore: Ignore | undefined): PlacedFinding {
  if (ignore?.kind !== 'expired') return finding;
  return {
    ...finding,
    message: `${finding.message} (it was ignored until ${ignore.untilDay}, which is over)`,
  };
}

/** A comment, what it asks for, and whether it was of use. */
interface Asked {
  source: RuleSource;
  comment: IgnoreComment;
  ignore: Ignore;
  used: boolean;
}

/** What is wrong with a comment, or that there is nothing left to ignore. */
function commentFinding({ source, comment, ignore, used }: Asked, isServiceAsked: boolean): PlacedFinding[] {
  const { line, column, words } = comment;
  const about = (code: Code, message: string): PlacedFinding[] => [
    {
      ...source.problemAt([], message),
      ...{ line, column, source: `${' '.repeat(column - 1)}# deltawatch-ignore ${words}`.trimEnd() },
      ...{ code, severity: CODES[code], ruleId: null },
    },
  ];
  if (ignore.kind === 'wrong') return about('ignore-wrong', ignore.message);
  if (used || (isLive(ignore.code) && !isServiceAsked)) return [];
  return about('ignore-idle', `there is no ${ignore.code} here to ignore; take the comment away`);
}

function byPlace(a: PlacedFinding, b: PlacedFinding): number {
  return (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column;
}

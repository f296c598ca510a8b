import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CODES } from '../../shared/lint/findings.ts';
import { formatProblems } from '../../shared/rule-files/file-problems.ts';
import { placedFindings } from '../../shared/rule-files/rule-findings.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { documentAt } from './documents.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const EXAMPLE =
  '{ title: Example, app: demo, owner: shop-team, every: day at 07:00, metric: sessions, compare: { to: same_weekday }, fire: { change: { below: -30% } } }';

interface Section {
  code: string;
  severity: string | undefined;
  example: string | undefined;
}

const sections: Section[] = [
  ...documentAt('docs/reference/lint.md').text.matchAll(/^### ([a-z-]+)\n\n([\s\S]*?)(?=^##|(?![\s\S]))/gm),
].map(([, code = '', text = '']) => ({
  code,
  severity: /^\*\*(\w+)\.\*\*/.exec(text)?.[1],
  example: /```yaml\n([\s\S]*?)```/.exec(text)?.[1],
}));

/** The files of an example: rules, routes, or some keys of one rule. */
function filesOf(example: string): Map<string, string> {
  const keys = Object.keys(parse(example));
  const isRoutes = keys.includes('channels');
  const oneRule = `defaults: ${EXAMPLE}\nrules:\n  - id: example\n${isRoutes ? '' : example.replaceAll(/^/gm, '    ')}`;
  return new Map([
    ['example.yaml', keys.includes('rules') ? example : oneRule],
    ['routes.yaml', isRoutes ? example : ROUTES],
  ]);
}

function found(files: Map<string, string>) {
  const loaded = buildRuleSet('rules', files);
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  return placedFindings(loaded, { now: NOW, perHour: 500 });
}

test('lint.md has a section with the severity of every code', () => {
  expect(Object.fromEntries(sections.map(({ code, severity }) => [code, severity]))).toEqual(CODES);
});

describe('in lint.md, the example of', () => {
  const shown = sections.flatMap(({ code, example }) => (example === undefined ? [] : [{ code, example }]));
  test.each(shown)('$code has only this finding', ({ code, example }) => {
    expect(found(filesOf(example)).findings.map((each) => each.code)).toEqual([code]);
  });
});

test('a rule without problems has no findings', () => {
  expect(found(filesOf('quiet: false'))).toEqual({ findings: [], ignored: 0 });
});

test('the documented comment ignores the finding', () => {
  const [, example = ''] =
    /## Ignoring[\s\S]*?```yaml\n([\s\S]*?)```/.exec(documentAt('docs/reference/lint.md').text) ?? [];
  expect(found(filesOf(example))).toEqual({ findings: [], ignored: 1 });
});

import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../shared/lint/findings.ts';
import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { placedFindings } from '../../../shared/rule-files/rule-findings.ts';
import { buildRuleSet } from '../../../shared/rule-files/yaml-rule-files.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';

/** Two critical rules without a runbook, with comments before the given lines. */
function rules(comments: Record<number, string>, severity = 'critical'): string {
  const lines = [
    'defaults: { app: demo, owner: shop-team, every: day at 07:00, compare: { to: same_weekday } }',
    'rules:',
    '  - id: a',
    '    title: A',
    '    metric: sessions',
    `    severity: ${severity}`,
    '    fire: { change: { below: -30% } }',
    '  - id: b',
    '    title: B',
    '    metric: users',
    `    severity: ${severity}`,
    '    fire: { change: { below: -30% } }',
  ];
  return lines.map((line, i) => `${comments[i + 1] ?? ''}${line}\n`).join('');
}

/** The rules with a default that has a finding. */
const comparedWithTheDayBefore = (text: string) => text.replace('same_weekday', 'previous_period');

/** The findings, each also as `RULE CODE`, and the number of ignored ones. */
function found(text: string, live?: Finding[]) {
  const loaded = buildRuleSet(
    'rules',
    new Map([
      ['x.yaml', text],
      ['routes.yaml', ROUTES],
    ]),
  );
  if (loaded.kind === 'problems') throw new Error(formatProblems(loaded.problems));
  const { findings, ignored } = placedFindings(loaded, {
    now: NOW,
    perHour: 500,
    ...(live && { live }),
  });
  return { findings, codes: findings.map(({ ruleId, code }) => `${ruleId} ${code}`), ignored };
}

const IGNORE = `# deltawatch-ignore runbook-missing agreed with the team\n`;
const BOTH = ['a runbook-missing', 'b runbook-missing'];

describe('an ignore comment', () => {
  test.each<[string, string, string[], number]>([
    ['applies to the rule that follows', rules({ 3: `  ${IGNORE}` }), ['b runbook-missing'], 1],
    ['applies to the rule that it is in', rules({ 6: `    ${IGNORE}` }), ['b runbook-missing'], 1],
    ['applies to all rules if it precedes the list', rules({ 2: IGNORE }), [], 2],
    ['applies to the whole file at its top', rules({ 1: `# Rules of the shop.\n${IGNORE}` }), [], 2],
    [
      'applies to its own line at the end of one',
      rules({}).replace('critical\n', `critical ${IGNORE}`),
      ['b runbook-missing'],
      1,
    ],
    [
      'applies to the rule across another comment',
      rules({ 3: `  ${IGNORE}  # What the shop lives from.\n` }),
      ['b runbook-missing'],
      1,
    ],
    [
      'of another code does not apply',
      rules({ 3: `  # deltawatch-ignore weekly-shape agreed with the team\n` }),
      BOTH,
      0,
    ],
  ])('%s', (_name, text, codes, ignored) => {
    expect(found(text)).toMatchObject({ codes, ignored });
  });

  test('before a rule ignores a finding of a default for this rule only', () => {
    const text = rules({ 3: `  # deltawatch-ignore weekly-shape agreed with the team\n` }, 'info');
    expect(found(comparedWithTheDayBefore(text))).toMatchObject({ codes: ['b weekly-shape'] });
  });
});

test.each([
  ['runbook-misssing', 'there is no code "runbook-misssing"; did you mean "runbook-missing"?'],
  ['', 'the code is missing; write "deltawatch-ignore CODE reason"'],
])('"deltawatch-ignore %s" is reported as wrong', (words, message) => {
  const { findings } = found(rules({ 3: `  # deltawatch-ignore ${words}\n` }, 'info'));
  expect(findings).toMatchObject([
    { code: 'ignore-wrong', severity: 'warning', line: 3, column: 3, message },
  ]);
});

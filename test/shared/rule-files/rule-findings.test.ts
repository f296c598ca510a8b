import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../shared/lint/findings.ts';
import { ignoreCommentsInTypeScript } from '../../../shared/rule-files/ignore-comments.ts';
import { placedFindings } from '../../../shared/rule-files/rule-findings.ts';
import { buildRuleSet, formatProblems } from '../../../shared/rule-files/yaml-rule-files.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const UNTIL = 'until 2027-03-31 agreed with the team';

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

const IGNORE = `# deltawatch-ignore runbook-missing ${UNTIL}\n`;
const BOTH = ['a runbook-missing', 'b runbook-missing'];

describe('an ignore comment', () => {
  test.each<[string, string, string[], number]>([
    ['applies to the rule that follows', rules({ 3: `  ${IGNORE}` }), ['b runbook-missing'], 1],
    ['applies to the key that follows', rules({ 6: `    ${IGNORE}` }), ['b runbook-missing'], 1],
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
      'at another key is idle, and the finding stays',
      rules({ 5: `    ${IGNORE}` }),
      ['null ignore-idle', ...BOTH],
      0,
    ],
    [
      'of another code is idle, and the finding stays',
      rules({ 3: `  # deltawatch-ignore weekly-shape ${UNTIL}\n` }),
      ['null ignore-idle', ...BOTH],
      0,
    ],
    ['without a finding to ignore is idle', rules({ 1: IGNORE }, 'warning'), ['null ignore-idle'], 0],
  ])('%s', (_name, text, codes, ignored) => {
    expect(found(text)).toMatchObject({ codes, ignored });
  });

  test('before a rule ignores a finding of a default for this rule only', () => {
    const text = rules({ 3: `  # deltawatch-ignore weekly-shape ${UNTIL}\n` }, 'info');
    expect(found(comparedWithTheDayBefore(text))).toMatchObject({ codes: ['b weekly-shape'] });
  });
});

test('an ignore comment for a live finding is idle only after a live check', () => {
  const text = rules({ 3: `  # deltawatch-ignore live-event-unseen ${UNTIL}\n` }, 'info');
  expect(found(text).codes).toEqual([]);
  expect(found(text, []).codes).toEqual(['null ignore-idle']);
  const unseen = {
    of: 'rule',
    ruleId: 'a',
    code: 'live-event-unseen',
    path: ['metric'],
    message: 'none',
  } as const;
  expect(found(text, [{ ...unseen, path: ['metric'] }])).toMatchObject({ codes: [], ignored: 1 });
});

describe('the end date of an ignore comment', () => {
  const on = (day: string) => found(rules({ 3: `  # deltawatch-ignore runbook-missing until ${day}\n` }));

  test('is inclusive, in UTC', () => {
    expect(on('2026-11-22')).toMatchObject({ ignored: 1 });
  });

  test('restores the finding after it has passed', () => {
    expect(on('2026-11-21')).toMatchObject({ codes: BOTH, ignored: 0 });
  });
});

test.each([
  [
    'runbook-misssing until 2027-03-31',
    'there is no code "runbook-misssing"; did you mean "runbook-missing"? write "deltawatch-ignore CODE until YYYY-MM-DD reason"',
  ],
  ['', 'the code is missing; write "deltawatch-ignore CODE until YYYY-MM-DD reason"'],
  [
    'runbook-missing',
    'the date until which to ignore runbook-missing is missing; write "deltawatch-ignore CODE until YYYY-MM-DD reason"',
  ],
  [
    'runbook-missing until 2027-02-30',
    '"2027-02-30" is not a valid date; write "deltawatch-ignore CODE until YYYY-MM-DD reason"',
  ],
  ['runbook-missing until 2027-11-23', '2027-11-23 is more than a year ahead; write 2027-11-22 or earlier'],
  ['ignore-idle until 2027-03-31', 'ignore-idle cannot be ignored; correct the comment instead'],
])('"deltawatch-ignore %s" is reported as wrong', (words, message) => {
  const { findings } = found(rules({ 3: `  # deltawatch-ignore ${words}\n` }, 'info'));
  expect(findings).toMatchObject([
    { code: 'ignore-wrong', severity: 'warning', line: 3, column: 3, message },
  ]);
});

test('ignoreCommentsInTypeScript finds // comments on lines of their own, for the whole file', () => {
  const text = [
    "import { defineRules } from 'deltawatch/rules';",
    'export default defineRules({',
    '  // deltawatch-ignore weekly-shape until 2027-01-01 of no use',
    "  rules: [{ id: 'a', runbook: '// deltawatch-ignore minimum-missing' }], // deltawatch-ignore minimum-missing",
    '});',
  ].join('\r\n');
  expect(ignoreCommentsInTypeScript(text)).toEqual([
    { line: 3, column: 3, words: 'weekly-shape until 2027-01-01 of no use', from: 1, through: Infinity },
  ]);
});

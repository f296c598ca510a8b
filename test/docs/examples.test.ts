import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatProblems } from '../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { blocksIn, documentOf } from './documents.ts';

const ROUTES = 'channels: { team: { slack: { webhook_secret: team } } }\ndefault: [team]\n';
const RULES = `
rules:
  - { id: a, title: A, app: demo, owner: team, every: hour, metric: sessions, fire: { change: { above: 10% } } }
`;
const ANY_RULE = `
defaults: { title: A, app: demo, owner: team, every: day at 07:00, metric: sessions, fire: { change: { above: 10% } } }
rules:
  - id: example
`;

/** The problems of an example: a rule file, routes, or some keys of one rule. */
function problemsWith(text: string): string {
  const loaded = buildRuleSet('docs', filesOf(text));
  return loaded.kind === 'problems' ? formatProblems(loaded.problems) : '';
}

function filesOf(text: string): Map<string, string> {
  const keys = Object.keys(parse(text));
  if (keys.includes('channels'))
    return new Map([
      ['example.yaml', RULES],
      ['routes.yaml', text],
    ]);
  const namesOwn = ['ratio', 'funnel', 'formula'].some((key) => keys.includes(key));
  const around = namesOwn ? ANY_RULE.replace('metric: sessions, ', '') : ANY_RULE;
  const rules = keys.includes('rules') ? text : around + text.replaceAll(/^/gm, '    ');
  return new Map([
    ['example.yaml', rules],
    ['routes.yaml', ROUTES],
  ]);
}

// testing-rules.test.ts runs the tests of rules.
const RULE_BLOCKS = blocksIn('yaml').filter(({ text }) => !Object.hasOwn(parse(text), 'tests'));

test.each(RULE_BLOCKS)('the rules at $place are valid', ({ text }) => {
  expect(problemsWith(text)).toBe('');
});

describe('problemsWith reports', () => {
  test.each([
    ['rules:\n  - id: a\n    metric: sesions\n', 'did you mean "sessions"'],
    ['channels: { a: { slack: { webhook: b } } }\ndefault: [a]\n', 'unknown key "webhook"'],
    ['fire: { change: { above: 50 } }\n', 'write a percentage'],
  ])('%j', (text, problem) => {
    const [block] = documentOf('x.md', `Rules:\n\n\`\`\`yaml\n${text}\`\`\`\n`).blocks;
    expect(block?.place).toBe('x.md:3');
    expect(problemsWith(block?.text ?? '')).toContain(problem);
  });
});

import { expect, test } from 'vitest';
import { formatProblems } from '../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../shared/rule-files/yaml-rule-files.ts';
import { WRONG_ROUTES } from '../fixtures/wrong-routes.ts';
import { WRONG_FILES, type WrongFile } from '../fixtures/wrong-rules.ts';

const WRONG = [...WRONG_FILES, ...WRONG_ROUTES];
const ROUTES = 'channels: { ops: { slack: { webhook_secret: slack/ops } } }\ndefault: [ops]\n';
const RULES =
  'rules: [{ id: a, title: A, app: shop, owner: growth, every: day at 07:00, metric: sessions, anomaly: true }]\n';

/** The problems that the loader reports for this file. */
function problemsOf({ file, text }: WrongFile): string {
  const files = new Map([
    ['shop.yaml', RULES],
    ['routes.yaml', ROUTES],
    [file, text],
  ]);
  const loaded = buildRuleSet('rules', files);
  return loaded.kind === 'problems' ? formatProblems(loaded.problems) : 'NOTHING IS WRONG';
}

test('the problems of every wrong file match the golden file', async () => {
  const all = WRONG.map((each) => `### ${each.name}\n\n${problemsOf(each)}\n`).join('\n');
  await expect(all).toMatchFileSnapshot('wrong-rule-files.txt');
});

test.each(WRONG)('$name: the problem has a place, fits 80 columns and shows no secret', (each) => {
  const text = problemsOf(each);
  expect(text).toMatch(/^rules(\/(shop|routes)\.yaml)?:\d+:\d+ /);
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(text).not.toMatch(/abcdefghijklmnop|0123456789abcdef|NaN|undefined|\[object/);
});

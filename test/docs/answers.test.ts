import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { openCommand } from '../../cli/operate/open.ts';
import { ANSWER_NAMES } from '../../shared/alerts/alert.ts';
import { LABELS } from '../../shared/messages/answer-text.ts';
import { LINK_LIVES_MS, type Purpose } from '../../shared/messages/link-purposes.ts';
import { routesSchema } from '../../shared/notifications/routes.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const page = documentAt('docs/reference/answers.md');

test('answers.md has a row for every answer with its label and name', () => {
  const rows = tableIn(page, 'answer').map(([label, word = '']) => [label, ...codeIn(word)]);
  expect(rows).toEqual(ANSWER_NAMES.map((answer) => [LABELS[answer], answer]));
});

test('answers.md states how long links are valid', () => {
  const UNITS: Record<string, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };
  const lives = tableIn(page, 'link').map(([, life = '']) => {
    const [count, unit = ''] = life.split(' ');
    return Number(count) * (UNITS[unit] ?? Number.NaN);
  });
  const order: Purpose[] = ['answer', 'picture', 'sign-in', 'session'];
  expect(lives).toEqual(order.map((purpose) => LINK_LIVES_MS[purpose]));
});

test('answers.md shows valid routes', () => {
  for (const { text } of blocksIn('yaml', [page])) {
    const { channels } = routesSchema.parse(parse(text));
    expect(channels).toHaveProperty('growth.slack.interactive', true);
  }
});

test('answers.md names every option of open', () => {
  const options = openCommand().options.map(({ long }) => long);
  const named = options.filter((option) => option && page.text.includes(option));
  expect(named).toEqual(options);
});

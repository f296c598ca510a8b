import { describe, expect, test } from 'vitest';
import type { FigureRule } from '../../../shared/rules/rule.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { type PreviewRequest, previewOf } from '../../../workbench/preview/preview.ts';
import { dayAt, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { pastOf } from '../../fixtures/past.ts';

const DAYS = 40;

const previewed = (
  rule: FigureRule,
  archive: PreviewRequest['archive'],
  rest: Partial<PreviewRequest> = {},
) =>
  previewOf({
    ...{ rule, ruleSet: ruleSetOf(rule), archive, transition: 'fired' },
    span: { startAt: dayAt(0).startAt, endAt: dayAt(DAYS).startAt },
    ...rest,
  });

/** Nearly the same value every day. */
const steady = (level: number) => (day: number) => level + (((day % 7) + 7) % 7) * (level / 100);

const headline = async (preview: ReturnType<typeof previewOf>) => {
  const found = await preview;
  if (found.kind === 'none') return found.reason;
  const { items } = found.message;
  return `${found.isMadeUp ? 'made up' : 'was'}: ${items.map((item) => item.headline).join()}`;
};

describe('the message of a rule that fired', () => {
  const rule = ruleNamed('sales', { title: 'Sales' });
  const fell = pastOf((day) => (day === 30 ? 300 : steady(1000)(day)));

  test('is the message of its last fire', async () => {
    expect(await headline(previewed(rule, fell))).toBe('was: Sales down 70%');
    expect(await previewed(rule, fell)).toMatchObject({ at: dayAt(31).startAt + 3_600_000 });
  });

  test('is that of another transition on request', async () => {
    const recovered = previewed(rule, fell, { transition: 'recovered' });
    expect(await headline(recovered)).toMatch(/^was: Recovered: Sales back at 1,0\d0 events$/);
    expect(await headline(previewed(rule, fell, { transition: 'broken' }))).toMatch(/^no "broken" of sales/);
  });
});

test('of hours is made up from a busy one, also at night', async () => {
  const rule = ruleNamed('sales', {
    ...{ title: 'Sales', every: 'hour at :20', compare: { to: 'same_weekday' } },
    minimum: { baseline: 100 },
    fire: { change: { below: '-30%' } },
  });
  const archive: PreviewRequest['archive'] = {
    ...pastOf(steady(1000)),
    rowsOf(_subject, { startAt }) {
      const hour = new Date(startAt).getUTCHours();
      return [{ eventName: 'purchase', current: { event_count: hour >= 8 && hour < 20 ? 1000 : 20 } }];
    },
  };
  const span = { startAt: dayAt(0).startAt, endAt: dayAt(DAYS).startAt + 3.5 * HOUR_MS };
  expect(await headline(previewed(rule, archive, { span }))).toBe('made up: Sales down 50%');
});

describe('the made-up message of a rule that never fired', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['is a fall', { fire: { change: { below: '-60%' } } }, 'Sales down 80%'],
    ['can be a rise', { fire: { change: { above: '80%' } } }, 'Sales up 102%'],
    [
      'spans several windows if needed',
      { fire_after: '3 of 3', compare: { to: 'same_weekday' } },
      'Sales down 50%',
    ],
  ])('%s', async (_name, overrides, words) => {
    const rule = ruleNamed('sales', { title: 'Sales', ...overrides });
    expect(await headline(previewed(rule, pastOf(steady(1000))))).toBe(`made up: ${words}`);
  });

  test('is replaced by a reason if nothing would make the rule fire', async () => {
    const rule = ruleNamed('sales', { minimum: { baseline: 5000 } });
    expect(await headline(previewed(rule, pastOf(steady(1000))))).toMatch(
      /^even a fall to nothing would not fire sales now: too little volume: .*minimum of 5000$/,
    );
  });
});

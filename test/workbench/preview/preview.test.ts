import { describe, expect, test } from 'vitest';
import type { FigureRule } from '../../../shared/alerting/rules/rule.ts';
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

/** About as much on every day. */
const expectedRange = (level: number) => (day: number) => level + (((day % 7) + 7) % 7) * (level / 100);

const headline = async (preview: ReturnType<typeof previewOf>) => {
  const found = await preview;
  if (found.kind === 'none') return found.reason;
  const { items } = found.message;
  return `${found.isMadeUp ? 'made up' : 'was'}: ${items.map((item) => item.headline).join()}`;
};

describe('the message of a rule that fired', () => {
  const rule = ruleNamed('sales', { title: 'Sales' });
  const fell = pastOf((day) => (day === 30 ? 300 : expectedRange(1000)(day)));

  test('is that of its last fire', async () => {
    expect(await headline(previewed(rule, fell))).toBe('was: Sales down 70 %');
    expect(await previewed(rule, fell)).toMatchObject({ at: dayAt(31).startAt + 3_600_000 });
  });

  test('is that of other news where that is asked for', async () => {
    const recovered = previewed(rule, fell, { transition: 'recovered' });
    expect(await headline(recovered)).toMatch(/^was: Recovered: Sales back at 1,0\d0 events$/);
    expect(await headline(previewed(rule, fell, { transition: 'broken' }))).toMatch(/^no "broken" of sales/);
  });

  test('is there of a quiet rule too', async () => {
    expect(await headline(previewed({ ...rule, quiet: true }, fell))).toBe('was: Sales down 70 %');
  });
});

describe('the message of a rule that never fired is made up', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['just past its bound', { fire: { change: { below: '-30%' } } }, 'Sales down 35 %'],
    ['upwards too', { fire: { change: { above: '80%' } } }, 'Sales up 85 %'],
    [
      'past all bounds',
      { fire: { change: { below: '-10%' }, difference: { below: -500 } } },
      'Sales down 54 %',
    ],
    [
      'where it takes several windows',
      { fire_after: '3 of 3', compare: { to: 'same_weekday' } },
      'Sales down 35 %',
    ],
  ])('%s', async (_name, overrides, words) => {
    const rule = ruleNamed('sales', { title: 'Sales', ...overrides });
    expect(await headline(previewed(rule, pastOf(expectedRange(1000))))).toBe(`made up: ${words}`);
  });

  test('of the largest segment alone', async () => {
    const rule = ruleNamed('sales', { title: 'Sales', group_by: 'device_country' });
    const past = pastOf((day) => ({ Malta: expectedRange(100)(day), Germany: expectedRange(1000)(day) }));
    expect(await headline(previewed(rule, past))).toBe('made up: Sales in Germany down 35 %');
  });

  test('unless nothing would make it fire, which is said with the reason', async () => {
    const rule = ruleNamed('sales', { minimum: { baseline: 5000 } });
    expect(await headline(previewed(rule, pastOf(expectedRange(1000))))).toMatch(
      /^even a fall to nothing would not fire sales now: too little volume: .*minimum of 5000$/,
    );
  });
});

import { describe, expect, it } from 'vitest';
import { countNoData } from '../../../shared/alerts/no-data.ts';
import { alertOf, evaluationOf, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const rule = ruleNamed('length', { metric: 'session_seconds', filters: [], no_data_after: 2 });
const empty = (day: number) =>
  evaluationOf(day, { verdict: 'no-data', current: { value: null, weight: null }, recovered: false });

describe('missing data', () => {
  it('stays reported until data is back, even if the start of its series is unknown', () => {
    const noData = { sinceAt: MONDAY, windows: 3, notified: true };
    const { seenSinceAt: _, ...alert } = alertOf(rule, { noData });
    const empties = countNoData({ alert, news: [] }, empty(3), rule);
    expect(empties).toMatchObject({ alert: { noData: { notified: true, windows: 4 } }, news: [] });
    const back = countNoData({ ...empties, news: [] }, evaluationOf(4), rule);
    expect(back).toMatchObject({ alert: { noData: null }, news: [{ transition: 'data-back' }] });
  });

  it('is not reported for a series that was never seen', () => {
    const { seenSinceAt: _, ...alert } = alertOf(rule, {
      noData: { sinceAt: MONDAY, windows: 3, notified: false },
    });
    expect(countNoData({ alert, news: [] }, empty(3), rule).news).toEqual([]);
  });
});

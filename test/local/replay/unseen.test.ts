import { expect, test } from 'vitest';
import type { Archive } from '../../../local/replay/archive.ts';
import { replay } from '../../../local/replay/replay.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { ReplayLog } from '../../../workbench/backtest/replay-log.ts';
import { MONDAY, ROUTES, ruleNamed } from '../../fixtures/builders.ts';

const SPIKE = 10;

/** Malta peaks on one day and then disappears: all values beyond the queried segments are one row. */
const figures: Archive = {
  rowsOf(_subject, { startAt }) {
    const day = Math.round((startAt - MONDAY) / DAY_MS);
    const row = (segment: string, count: number) => ({
      ...{ eventName: 'purchase', segment, current: { event_count: count } },
    });
    return [
      row('DE', 10_000),
      ...(day <= SPIKE ? [row('MT', day === SPIKE ? 5000 : 100)] : []),
      { ...row('others', 50), isRest: true as const },
    ];
  },
  eventsIn: () => 1,
  newestDataAt: (_app, at) => at,
  beginsAt: () => undefined,
  notes: [],
};

test('the alert of a segment that is no longer queried ends in the log with its recovery message', async () => {
  const fire = { change: { above: '200%' } };
  const rule = ruleNamed('by-country', {
    ...{ group_by: 'device_country', compare: { to: 'same_weekday' }, fire },
  });
  const ruleSet = { version: 'v', rules: [rule], routes: ROUTES };
  const log = new ReplayLog([rule]);
  const endsNotified: number[] = [];
  for await (const event of replay({ ruleSet, figures, from: MONDAY, to: MONDAY + 50 * DAY_MS })) {
    log.add(event);
    if (event.kind === 'sent')
      for (const { notification } of event.pending)
        if (notification.transition === 'recovered') endsNotified.push(notification.windowEndAt);
  }
  const [alert, ...others] = log.seriesOf('by-country').flatMap(({ fires }) => fires);
  expect(others).toEqual([]);
  expect(endsNotified).toHaveLength(1);
  expect(alert).toMatchObject({ segment: 'MT', hasEnded: true, throughAt: endsNotified[0] });
});

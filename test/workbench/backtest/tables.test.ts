import { expect, test } from 'vitest';
import { openText } from '../../../workbench/backtest/report-text.ts';
import { ruleCells } from '../../../workbench/backtest/tables.ts';
import { dayAt } from '../../fixtures/builders.ts';

test('an alert that fired on the last window is open, not of 0 minutes', () => {
  const rates = { alerts: 1, alertsPerMonth: 1, flaps: 0, unknownShare: 0, hits: null };
  const open = { openMs: { total: 0, longest: 0, median: 0 }, stillOpen: 1 };
  const row = (about: object) => ruleCells({ ...rates, ...about } as Parameters<typeof ruleCells>[0]).longest;
  expect(row(open)).toBe('open');
  expect(row({ ...open, openMs: { ...open.openMs, longest: 3_600_000 } })).toBe('1 hour');
  expect(row({ ...open, alerts: 0 })).toBe('');
  const fire = { window: dayAt(0), throughAt: dayAt(0).endAt, hasEnded: false } as Parameters<
    typeof openText
  >[0];
  expect(openText(fire)).toBe('still open');
  expect(openText({ ...fire, throughAt: dayAt(3).endAt })).toBe('3 days so far');
});

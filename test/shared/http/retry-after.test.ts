import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../shared/http/retry-after.ts';

const NOW = Date.parse('2026-03-02T07:00:00Z');

test.each<{ header: string | null; waits: number | undefined }>([
  { header: null, waits: undefined },
  { header: '', waits: undefined },
  { header: '0', waits: 0 },
  { header: ' 12 ', waits: 12_000 },
  { header: '0.25', waits: 250 },
  { header: 'Mon, 02 Mar 2026 07:00:30 GMT', waits: 30_000 },
  { header: 'Mon, 02 Mar 2026 06:00:00 GMT', waits: 0 },
  { header: '31536000', waits: 3_600_000 },
  { header: '9'.repeat(400), waits: 3_600_000 },
  { header: 'Tue, 02 Mar 2027 07:00:00 GMT', waits: 3_600_000 },
  { header: 'soon', waits: undefined },
])('retryAfterMs of "$header" is $waits', ({ header, waits }) => {
  expect(retryAfterMs(header, NOW)).toBe(waits);
});

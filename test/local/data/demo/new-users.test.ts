import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { writeDemoApp } from '../../../../local/data/demo/demo-app.ts';
import { openFolder } from '../../../../local/data-access.ts';
import { ManualClock } from '../../../../shared/runtime/clock.ts';
import { temporaryFolder } from '../../../fixtures/deltawatch.ts';

const KEY = 'k-demo';
/** Midnight in Berlin. */
const FROM = Date.parse('2026-02-28T23:00:00Z');
const DAYS = 3;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let service: ReturnType<typeof openFolder>;
const clock = new ManualClock(FROM + (DAYS + 7) * 86_400_000);
beforeAll(async () => {
  folder = await temporaryFolder();
  const until = FROM + DAYS * 86_400_000;
  await writeDemoApp({ dir: folder.path, app: 'demo', seed: 1, from: FROM, until });
  service = openFolder(folder.path, { apiKey: KEY, clock });
});
afterAll(async () => {
  service.close();
  await folder[Symbol.asyncDispose]();
});

const answerSchema = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  pagination: z.object({ total: z.number() }),
});

async function ask(path: string, parameters: Record<string, unknown>) {
  const written = Object.entries(parameters).map(([name, value]) => [name, JSON.stringify(value)]);
  // The service allows five requests a second.
  clock.advanceTo(clock.now() + 1000);
  const query = new URLSearchParams({ appid: 'demo', apikey: KEY, ...Object.fromEntries(written) });
  const response = await service.app.request(`${path}?${query}`);
  return answerSchema.parse(await response.json());
}

const during = (attribute: string, lower: string, upper: string) => ({
  attribute,
  operator: 'between_dates',
  value: { lower, upper },
});

test.each([
  ['the first day, when most users are not new', '2026-03-01', '2026-03-01'],
  ['a later day', '2026-03-02', '2026-03-02'],
  ['all days', '2026-03-01', '2026-03-03'],
])('new users of %s match by sessions, by users and by first-seen date', async (_, from, to) => {
  const filters = [during('date_range', from, to)];
  const asked = { filters, aggregation: [{ attribute: 'session_new_users_count' }] };
  const bySessions = (await ask('/v2/session/analytics', asked)).data[0]?.session_new_users_count;
  const byUsers = (await ask('/v2/user/analytics', asked)).data[0]?.session_new_users_count;
  const firstSeen = async (filter: object) =>
    (await ask('/v2/user', { filters: [...filters, filter], page_size: 1 })).pagination.total;
  const listed = await firstSeen(during('user_first_seen_on', from, to));
  expect([bySessions, byUsers]).toEqual([listed, listed]);
  expect(listed).toBeGreaterThan(50);

  const known = await firstSeen({ attribute: 'user_first_seen_on', operator: 'before', value: from });
  const { data } = await ask('/v2/user/analytics', { filters, aggregation: [{ attribute: 'user_count' }] });
  expect(listed + known).toBe(data[0]?.user_count);
  expect(known).toBeGreaterThan(0);
});

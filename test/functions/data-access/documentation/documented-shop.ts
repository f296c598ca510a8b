import { event, type SampleData, session, visit } from '../sample-app.ts';

const first = session({
  user_id: 'u-81c2',
  device_model: 'Pixel 9',
  country: 'Germany',
  recorded_at: '2026-03-03T08:10:00Z',
  duration_sec: 412.5,
  event_count: 1,
  user_properties: { plan: 'pro' },
});
const second = session({ user_id: 'u-3f77', platform: 'web', recorded_at: '2026-03-04T12:00:00Z' });

/** The data of a shop. Each example of the API documentation finds some of it. */
export const DOCUMENTED: SampleData = {
  sessions: [first, second],
  events: [
    event(first, { properties: { price: 39.9 } }),
    event(second, { recorded_at: '2026-04-01T10:00:00Z', properties: { price: 5 } }),
  ],
  visits: [visit(first), visit(second)],
};

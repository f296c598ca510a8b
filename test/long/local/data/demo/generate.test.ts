import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK, EPOCH, intensityFor } from '../../../../../local/data/demo/calendar.ts';
import { type Incident, incidentsBetween } from '../../../../../local/data/demo/incidents.ts';
import { DAY_MS, HOUR_MS } from '../../../../../shared/units/durations.ts';
import { everything, SPRING } from '../../../../local/data/demo/spans-of-demo.ts';

const fourWeeks = everything(1, SPRING, SPRING + 28 * DAY_MS);
const sessionById = new Map(fourWeeks.sessions.map((session) => [session.session_id, session]));

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('the rows of the demo', () => {
  it('have unique ids', () => {
    expect(sessionById.size).toBe(fourWeeks.sessions.length);
    expect(new Set(fourWeeks.events.map((event) => event.event_id)).size).toBe(fourWeeks.events.length);
  });

  it('have events within their session, and counts that match them', () => {
    const counts = new Map<string, number>();
    for (const event of fourWeeks.events) {
      const session = sessionById.get(event.session_id);
      expect(session).toBeDefined();
      if (!session) continue;
      const endAt = session.recorded_at + session.duration_sec * 1000;
      if (event.recorded_at < session.recorded_at || event.recorded_at > endAt)
        expect.fail(`${event.event_id} lies outside its session`);
      if (event.uploaded_at !== session.uploaded_at || event.user_id !== session.user_id)
        expect.fail(`${event.event_id} does not agree with its session`);
      counts.set(event.session_id, (counts.get(event.session_id) ?? 0) + 1);
    }
    for (const session of fourWeeks.sessions) {
      if (session.event_count !== (counts.get(session.session_id) ?? 0)) expect.fail(session.session_id);
      if (session.screen_count !== session.screens.length) expect.fail(session.session_id);
    }
  });

  it('have one visit per screen of a session, with its rage gestures', () => {
    const { sessions, visits } = fourWeeks;
    const bySession = Map.groupBy(visits, ({ session_id }) => session_id);
    for (const session of sessions) {
      const seen = bySession.get(session.session_id) ?? [];
      expect(seen.map(({ screen_name }) => screen_name)).toEqual(session.screens);
      expect(seen.reduce((sum, visit) => sum + (visit.visit_rage_gesture_count ?? 0), 0)).toBe(
        session.rage_gesture_count,
      );
      expect(seen.reduce((sum, visit) => sum + visit.time_on_screen_sec, 0)).toBeCloseTo(
        session.duration_sec,
        6,
      );
      expect([seen.filter((visit) => visit.is_entry), seen.filter((visit) => visit.is_exit)]).toEqual([
        seen.slice(0, 1),
        seen.slice(-1),
      ]);
    }
  });
});

describe('the figures of the demo', () => {
  it('follow the clocks of Berlin when they change', () => {
    const intensity = intensityFor(1);
    const workdaysAtFour = (monday: number) =>
      mean([0, 1, 2, 3, 4].map((day) => intensity(monday + day * DAY_MS + 4 * HOUR_MS)));
    expect(workdaysAtFour(Date.UTC(2026, 2, 30))).toBeGreaterThan(
      1.6 * workdaysAtFour(Date.UTC(2026, 2, 23)),
    );
  });
});

describe('incidentsBetween', () => {
  it('plans one incident of each kind per block, at least two days apart', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 0, max: 120 }), (seed, block) => {
        const blockAt = EPOCH + block * BLOCK;
        const incidents = incidentsBetween(seed, blockAt, blockAt + BLOCK);
        expect(incidents.map((each) => each.kind).sort()).toEqual([
          'event-stops',
          'new-users-drop',
          'rage-surge',
        ]);
        for (const [i, { startsAt, endsAt }] of incidents.entries()) {
          expect([startsAt % HOUR_MS, endsAt % HOUR_MS]).toEqual([0, 0]);
          expect(startsAt).toBeGreaterThanOrEqual(
            (incidents[i - 1]?.endsAt ?? blockAt - 2 * DAY_MS) + 2 * DAY_MS,
          );
          expect(endsAt).toBeLessThanOrEqual(blockAt + 24 * DAY_MS);
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe('incidents in the data', () => {
  const incidents = incidentsBetween(1, SPRING, SPRING + 28 * DAY_MS);
  const during = <Row extends { recorded_at: number }>(rows: Row[], { startsAt, endsAt }: Incident) =>
    rows.filter((row) => row.recorded_at >= startsAt && row.recorded_at < endsAt);
  const withKind = <Kind extends Incident['kind']>(kind: Kind) =>
    incidents.filter((incident): incident is Extract<Incident, { kind: Kind }> => incident.kind === kind);

  it('raise rage gestures of the affected sessions by the factor', () => {
    for (const incident of withKind('rage-surge')) {
      const touched = during(fourWeeks.sessions, incident).filter(
        ({ platform, app_version, screens }) =>
          platform === incident.platform &&
          app_version === incident.appVersion &&
          screens.includes(incident.screen),
      );
      const ragingShare = mean(touched.map((session) => Number(session.rage_gesture_count > 0)));
      expect(touched.length).toBeGreaterThan(30);
      expect(ragingShare).toBeGreaterThan(0.035 * incident.factor * 0.6);
      expect(ragingShare).toBeLessThan(0.035 * incident.factor * 1.5);
    }
  });
});

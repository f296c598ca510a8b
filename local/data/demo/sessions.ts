import type { Millis } from '../../../shared/runtime/clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/units/durations.ts';
import type { EventRow, SessionRow, VisitRow } from '../rows.ts';
import { releaseAt, versionOf } from './calendar.ts';
import { between, chance, type Draw, drawsFor, logNormal, poisson, wholeBetween } from './draws.ts';
import { propertiesOf, type Screen, type Step, walkFunnel } from './funnel.ts';
import { type Incident, isDuring } from './incidents.ts';
import type { User, Visit } from './users.ts';

const RAGE_SHARE = 0.035;
const LATE_SHARE = 0.05;
type RageSurge = Extract<Incident, { kind: 'rage-surge' }>;

export interface Recorded {
  session: SessionRow;
  events: EventRow[];
  visits: VisitRow[];
}

/** Generates the rows of a visit. They depend only on the seed, the visit and the incidents. */
export function recordVisit(seed: number, visit: Visit, incidents: Incident[]): Recorded {
  const { user, number, startAt, durationMs } = visit;
  const sessionId = `${user.id}-s${number}`;
  const draw = drawsFor(seed, 'session', sessionId);
  const appVersion = versionFor(user, startAt);
  const { isLate, uploadedAt } = upload(draw, startAt + durationMs);
  const steps = walkFunnel(draw, visit.steps);
  const screens = screensOf(steps);
  const surge = incidents.find(
    (incident): incident is RageSurge => isDuring(incident, startAt) && surgesFor(incident),
  );
  function surgesFor(incident: Incident): boolean {
    return (
      incident.kind === 'rage-surge' &&
      user.platform === incident.platform &&
      appVersion === incident.appVersion &&
      screens.includes(incident.screen)
    );
  }
  const done = eventsOf(draw, visit, steps, { sessionId, uploadedAt });
  const events = done.filter((event) => !incidents.some((incident) => silences(incident, user, event)));
  const session = {
    ...user.columns,
    session_id: sessionId,
    user_id: user.id,
    session_number: number,
    recorded_at: startAt,
    uploaded_at: uploadedAt,
    duration_sec: durationMs / 1000,
    ...gestures(draw, visit.steps, RAGE_SHARE * (surge?.factor ?? 1)),
    screen_count: screens.length,
    unique_screen_count: new Set(screens).size,
    screens,
    event_count: events.length,
    crashed: user.platform !== 'web' && chance(draw, 0.008),
    has_video: false,
    offline: isLate,
    app_version: appVersion,
  };
  const visits = visitsIn(done, startAt + durationMs);
  const raged = surge
    ? visits.findIndex(({ screen_name }) => screen_name === surge.screen)
    : wholeBetween(drawsFor(seed, 'rage', sessionId), 0, visits.length - 1);
  return {
    session,
    events,
    visits: visits.map((each, at) => ({
      ...each,
      visit_rage_gesture_count: at === raged ? session.rage_gesture_count : 0,
    })),
  };
}

/** A screen visit ends when the next begins, or with the session. */
function visitsIn(done: readonly EventRow[], endAt: Millis): VisitRow[] {
  const entered = done.filter((event, at) => event.screen_name !== done[at - 1]?.screen_name);
  return entered.map(({ session_id, user_id, screen_name = '', recorded_at, uploaded_at }, at) => {
    const [isEntry, isExit] = [at === 0, at === entered.length - 1];
    return {
      session_id,
      user_id,
      screen_name: screen_name ?? '',
      recorded_at,
      uploaded_at,
      time_on_screen_sec: ((entered[at + 1]?.recorded_at ?? endAt) - recorded_at) / 1000,
      is_entry: isEntry,
      is_exit: isExit,
      is_bounce: isEntry && isExit,
    };
  });
}

/** The app version of a user: the first installed one, or a later update. */
function versionFor(user: User, at: Millis): string {
  return versionOf(Math.max(releaseAt(user.firstHourAt), releaseAt(at - user.updateLagDays * DAY_MS)));
}

/** Uploads within two minutes of the end, or minutes to three days later if recorded offline. */
function upload(draw: Draw, endAt: Millis): { isLate: boolean; uploadedAt: Millis } {
  const isLate = chance(draw, LATE_SHARE);
  const lag = isLate
    ? Math.min(3 * DAY_MS, Math.max(4 * MINUTE_MS, logNormal(draw, 3 * HOUR_MS, 1.5)))
    : between(draw, 2000, 110_000);
  return { isLate, uploadedAt: Math.floor(endAt + lag) };
}

/** The screens in order, without consecutive repeats. */
function screensOf(steps: readonly Step[]): Screen[] {
  return steps.map((step) => step.screen).filter((screen, i) => screen !== steps[i - 1]?.screen);
}

function gestures(draw: Draw, steps: number, rageShare: number) {
  const rage = chance(draw, rageShare) ? 1 + poisson(draw, 0.8) : 0;
  const total = 2 + rage + poisson(draw, 5 * steps);
  const unresponsive = Math.min(total, poisson(draw, 0.04 * total));
  return {
    gesture_count: total,
    rage_gesture_count: rage,
    responsive_gesture_count: total - unresponsive,
    unresponsive_gesture_count: unresponsive,
  };
}

function eventsOf(
  draw: Draw,
  { user, startAt, durationMs }: Visit,
  steps: readonly Step[],
  { sessionId, uploadedAt }: { sessionId: string; uploadedAt: Millis },
): EventRow[] {
  const offsets = steps.map((_, i) => (i === 0 ? 0 : Math.floor(draw() * durationMs))).sort((a, b) => a - b);
  return steps.map(({ name, screen }, i) => ({
    event_id: `${sessionId}-e${i + 1}`,
    session_id: sessionId,
    user_id: user.id,
    event_name: name,
    screen_name: screen,
    recorded_at: startAt + (offsets[i] ?? 0),
    uploaded_at: uploadedAt,
    properties: JSON.stringify({ plan: user.plan, ...propertiesOf(draw, name, user.platform === 'web') }),
  }));
}

function silences(incident: Incident, user: User, event: EventRow): boolean {
  return (
    incident.kind === 'event-stops' &&
    incident.eventName === event.event_name &&
    incident.countryCode === user.countryCode &&
    isDuring(incident, event.recorded_at)
  );
}

import type { RuleInput } from '../../shared/rules/define-rules.ts';
import type { AppProfile, ProfiledEvent } from './profile.ts';
import { titleOf } from './starter-files.ts';

/** The keys of a rule that say what it watches, and when. */
type Watches = Pick<Partial<RuleInput>, 'metric' | 'ratio' | 'filters' | 'group_by' | 'compare' | 'every'>;

/** A rule that may be worth having, without its bounds. */
export interface Candidate {
  /** Its id without the name of the app. */
  id: string;
  title: string;
  /** Why it is proposed: a sentence for a comment. */
  why: string;
  runbook: string;
  severity?: 'critical';
  watches: Watches;
  /** Where it fires: above or below its usual value by some percentage, or above a level. */
  fires: 'above' | 'below' | 'above a level';
}

/** Events that tell of a failure, by their names. */
const FAILURE =
  /fail|error|exception|crash|declin|reject|timeout|timed.?out|denied|invalid|abort|unavailable|cancel|refund|retr(y|ied)|not.?found/i;
/** Numbers where more is worse, by a word of their names: durations. */
const DURATION =
  /(^|_)(ms|millis|milliseconds|secs?|seconds|duration|latency|elapsed|delay|lag|load|time|ttfb|lcp|fcp)(_|$)/;

/** Sessions a day that a figure needs to be watched at all. */
const LEAST = 10;
/** The most ratios between steps; the steps that most sessions reach come first. */
const MOST_STEPS = 5;
const MOST_NUMBERS = 2;

const TRY_IT = 'Do by hand what sends this event. If it works, check whether its tracking changed.';

/** The candidates of an app, the most important first. */
export function candidatesFor(profile: AppProfile): Candidate[] {
  const { events, countries, versions } = profile;
  const failures = events.filter(({ name }) => FAILURE.test(name));
  const steps = events.filter(
    (event) => !FAILURE.test(event.name) && event.parent !== undefined && isFrequent(event),
  );
  const last = goalOf(steps);
  return [
    ...(profile.sessionsPerDay >= LEAST ? [sessions] : []),
    ...failures.map((event) => failure(event)),
    ...(versions.length > 1 ? failures.filter(isFrequent).map((event) => ofReleases(failure(event))) : []),
    ...steps.slice(0, MOST_STEPS).map((event) => step(event)),
    ...(last && versions.length > 1 ? [ofReleases(goal(last))] : []),
    ...(last && countries.length > 1 ? [byCountry(goal(last))] : []),
    ...profile.numbers
      .filter(({ property, perDay }) => isDuration(property) && perDay >= LEAST)
      .slice(0, MOST_NUMBERS)
      .map(({ event, property }) => duration(event, property)),
    ...plainEvents(profile).map(steps.length === 0 ? plain : step),
  ];
}

const sessions: Candidate = {
  ...{ id: 'sessions', title: 'Sessions', severity: 'critical', fires: 'below' },
  why: 'Everything else follows from it.',
  runbook: 'Check that the app still sends data, then check the last release.',
  watches: { metric: 'sessions' },
};

function isFrequent({ sessionsPerDay }: ProfiledEvent): boolean {
  return sessionsPerDay >= LEAST;
}

/** The most frequent events that follow no other, except those of nearly every session. */
function plainEvents({ events, sessionsPerDay }: AppProfile): ProfiledEvent[] {
  return events
    .filter((event) => event.parent === undefined && !FAILURE.test(event.name) && isFrequent(event))
    .filter((event) => event.sessionsPerDay < NEARLY_ALL * sessionsPerDay)
    .slice(0, MOST_STEPS);
}

/** Sessions that have an event are all sessions, from this share on. */
const NEARLY_ALL = 0.9;

/** The rarest step that is an end: no other step follows it. */
function goalOf(steps: readonly ProfiledEvent[]): ProfiledEvent | undefined {
  const ends = steps.filter(({ name }) => !steps.some(({ parent }) => parent === name));
  return ends.toSorted((a, b) => a.sessionsPerDay - b.sessionsPerDay)[0];
}

const SESSIONS = { metric: 'sessions' } as const;

function failure({ name, parent }: ProfiledEvent): Candidate {
  return {
    ...{ id: name, title: `${titleOf(name)} per ${parent ? wordsOf(parent) : 'session'}` },
    why: parent ? `Its name tells of a failure; it comes after ${parent}.` : 'Its name tells of a failure.',
    runbook: 'Look at the newest errors, then check the last release.',
    severity: 'critical',
    watches: ratioOf(name, parent),
    fires: 'above a level',
  };
}

function step({ name, parent }: Pick<ProfiledEvent, 'name' | 'parent'>): Candidate {
  return {
    ...{ id: name, title: `${titleOf(name)} per ${parent ? wordsOf(parent) : 'session'}` },
    ...{ why: parent ? `It usually comes after ${parent}.` : 'It follows no other event.', runbook: TRY_IT },
    ...{ watches: ratioOf(name, parent), fires: 'below' },
  };
}

function goal({ name }: ProfiledEvent): Candidate {
  return { ...step({ name }), why: 'Few sessions get this far.' };
}

/** The ratio of sessions with one event to those with another, or to all. */
function ratioOf(name: string, parent: string | undefined): Watches {
  if (parent !== undefined) return { metric: 'event_sessions', ratio: { of: name, to: parent } };
  return { ratio: { of: { metric: 'event_sessions', filters: only(name) }, to: SESSIONS } };
}

function only(event: string): NonNullable<Watches['filters']> {
  return [{ attribute: 'event_name', operator: 'equal', value: event }];
}

function ofReleases(candidate: Candidate): Candidate {
  return {
    ...candidate,
    ...{ id: `${candidate.id}-of-releases`, title: `${candidate.title}, by release` },
    why: 'Compares each release with the one before, from its first day on.',
    runbook: 'Stop the roll-out of the release, then look for its change.',
    watches: { ...candidate.watches, group_by: 'app_version' },
    fires: candidate.fires === 'below' ? 'below' : 'above',
  };
}

/** By the week, because a country is small and its decline is slow. */
function byCountry(candidate: Candidate): Candidate {
  return {
    ...candidate,
    ...{ id: `${candidate.id}-by-country`, title: `${candidate.title}, by country` },
    why: 'By the week: a country is small, and its decline is slow.',
    watches: {
      ...candidate.watches,
      ...{ group_by: 'device_country', every: 'monday at 07:00', compare: { median_of: '4 weeks' } },
    },
  };
}

function duration(event: string, property: string): Candidate {
  return {
    ...{ id: `${event}-${property}`, title: `Slow ${wordsOf(event)} (${property})` },
    why: `The value that 5% of ${event} exceed.`,
    runbook: 'Compare with the response times of the servers, then check the last release.',
    watches: { metric: { p95: property }, filters: only(event) },
    fires: 'above',
  };
}

function plain({ name }: ProfiledEvent): Candidate {
  return {
    ...{ id: name, title: titleOf(name), why: 'One of the most frequent events.', runbook: TRY_IT },
    watches: { metric: 'event_count', filters: only(name) },
    fires: 'below',
  };
}

function isDuration(property: string): boolean {
  const words = property.replaceAll(/(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+/g, '_').toLowerCase();
  return DURATION.test(words);
}

function wordsOf(event: string): string {
  return event.replaceAll('_', ' ').trim().slice(0, 60);
}

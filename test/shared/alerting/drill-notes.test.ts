import { expect, test } from 'vitest';
import { drillNotes } from '../../../shared/alerting/drill-notes.ts';
import { routesSchema } from '../../../shared/alerting/routes.ts';
import type { Match } from '../../../shared/alerting/silences.ts';
import { HOUR, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const NOON = MONDAY + 12 * HOUR;
const routes = routesSchema.parse({
  channels: { team: { slack: { webhook_secret: 'team' } } },
  calendars: { lunch: { weekly: [{ days: ['mon-fri'], from: '11:00', to: '13:00' }] } },
  default: ['team'],
  routes: [
    { name: 'shop', match: { owner: 'shop' }, channels: ['team'], mute: ['lunch'] },
    { name: 'idle', match: { owner: 'nobody' }, channels: ['team'] },
  ],
});
const ruleSet = { version: 'v', rules: [ruleNamed('a'), ruleNamed('b')], routes };

const silence = (match: Match, untilAt: number) => ({
  ...{ id: 's', match, fromAt: 0, untilAt, by: 'bo', at: 0, reason: '' },
});

test.each([
  [
    'a calendar that mutes the route',
    'shop',
    NOON,
    [],
    ['an alert would wait now: the calendar lunch mutes the route until Mon 2 Mar 2026, 13:00 (UTC)'],
  ],
  ['nothing when it does not', 'shop', NOON + 2 * HOUR, [], []],
  [
    'the rules that are silenced',
    'shop',
    NOON + 2 * HOUR,
    [silence({ rule: 'a' }, NOON + 9 * HOUR)],
    ['1 of the 2 rules of the route are silenced now'],
  ],
  ['no silence that is over', 'shop', NOON + 2 * HOUR, [silence({}, NOON)], []],
  ['that no rule takes the route', 'idle', NOON, [silence({}, NOON + HOUR)], ['no rule takes this route']],
])('tells of %s', (_name, route, now, silences, notes) => {
  expect(drillNotes(route, ruleSet, silences, now)).toEqual(notes);
});

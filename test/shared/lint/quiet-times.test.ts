import { expect, test } from 'vitest';
import { quietTimeFindings } from '../../../shared/lint/quiet-times.ts';
import { routesSchema } from '../../../shared/notifications/routes.ts';
import { MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const nights = { weekly: [{ days: ['mon-sun'], from: '20:00', to: '05:00' }] };
const base = {
  channels: { team: { slack: { webhook_secret: 'slack-team' } } },
  calendars: { nights },
  default: ['team'],
};
const ofOwner = (name: string, owner: string) => ({ name, match: { owner }, channels: ['team'] });

test.each([
  ['the default', { default: { channels: ['team'], mute: ['nights'] } }, ['default', 'mute']],
  [
    'a route',
    { routes: [ofOwner('growth', 'growth'), { ...ofOwner('shop', '*'), mute: ['nights'], match: {} }] },
    ['routes', 1, 'mute'],
  ],
])('a finding about muted app alerts points at the "mute" of %s', (_, routes, path) => {
  const findings = quietTimeFindings(
    [ruleNamed('sales')],
    routesSchema.parse({ ...base, ...routes }),
    MONDAY,
  );
  expect(findings.find(({ code }) => code === 'stop-muted')?.path).toEqual(path);
});

import { expect, test } from 'vitest';
import { callDrill, withdrawDrill } from '../../shared/alerting/drill-debts.ts';
import type { Channel } from '../../shared/alerting/ports.ts';
import { HOUR, ruleNamed } from '../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from './announcer.ts';

const sales = ruleNamed('sales');
const routes = { channels: channelsNamed('team', 'pager'), default: ['team', 'pager'] };
const asked = {
  route: 'default',
  channels: ['team', 'pager'],
  by: 'anna',
  reason: '',
  severity: 'info',
} as const;

const linked = {
  links: {
    overviewUrl: 'https://page.example/',
    linksFor: async () => ({ open: 'https://page.example/a', picture: null, answers: [] }),
  },
};

async function drilled(...given: [Record<string, unknown>?, Parameters<typeof anAnnouncer>[2]?]) {
  const [ofRoutes = {}, replaced] = given;
  const announcer = await anAnnouncer([sales], { ...routes, ...ofRoutes }, replaced);
  const call = async () => {
    const [stored] = await announcer.alerts.loadOfRule('drill:default');
    const drill = { ...asked, channels: [...asked.channels], at: announcer.clock.now() };
    await announcer.alerts.save(callDrill(stored, drill));
  };
  await call();
  return { ...announcer, call };
}

test('reaches each channel of its route, and its end follows once the pager had time to ring', async () => {
  const { sweep, told } = await drilled();
  await sweep();
  expect([told('team'), told('pager')]).toEqual([['drill drill:default'], ['drill drill:default']]);
  await sweep(0.5 / 60);
  expect(told('pager')).toHaveLength(1);
  await sweep(0.5 / 60);
  expect(told('pager').at(-1)).toBe('drill-over drill:default');
  await sweep(24);
  expect(told('pager')).toHaveLength(2);
});

test('stands in no message beside alerts, and carries nothing to answer with', async () => {
  const { happens, sweep, channel } = await drilled({}, linked);
  await happens(sales, { transition: 'fired' });
  await sweep();
  const sent = channel('team').sent.map(({ items }) =>
    items.map(({ ruleId, links }) => [ruleId, links?.open]),
  );
  expect(sent.toSorted()).toEqual([[['drill:default', undefined]], [['sales', 'https://page.example/a']]]);
});

test('is told while its route is mute, and all rules are silenced', async () => {
  const calendars = { noon: { weekly: [{ days: ['mon-sun'], from: '11:00', to: '13:00' }] } };
  const { silences, sweep, told, clock } = await drilled({
    calendars,
    default: { channels: ['team'], mute: ['noon'] },
  });
  const now = clock.now();
  await silences.save({ id: 's', match: {}, fromAt: 0, untilAt: now + HOUR, by: 'bo', at: 0, reason: '' });
  await sweep();
  expect(told('team')).toEqual(['drill drill:default']);
});

test('that nobody sent in time is never sent, and another one is', async () => {
  const { sweep, told, call } = await drilled();
  await sweep(0.25);
  expect(told('team')).toEqual([]);
  await call();
  await sweep();
  expect(told('team')).toEqual(['drill drill:default']);
});

test('that is called again ends the one before it first', async () => {
  const { sweep, told, call } = await drilled();
  await sweep();
  await call();
  await sweep(0.1 / 60);
  expect(told('pager')).toEqual(['drill', 'drill-over', 'drill'].map((each) => `${each} drill:default`));
});

test('that is withdrawn is told only to be over, and only where it may have got through', async () => {
  const refusing = (permanent: boolean): Channel => ({
    send: async () => ({ kind: 'refused', reason: 'no', permanent }),
  });
  const channels = { team: refusing(false), pager: refusing(true) };
  const { alerts, clock, sweep } = await drilled({}, { channels });
  await sweep();
  const [alert] = await alerts.loadOfRule('drill:default');
  const left = Object.values(alert ? withdrawDrill(alert, clock.now()).owed : {});
  expect(left.map(({ transition, channel }) => [transition, channel])).toEqual([['drill-over', 'team']]);
});

import { describe, expect, test } from 'vitest';
import type { Alert } from '../../shared/alerting/alert.ts';
import { take } from '../../shared/alerting/debts.ts';
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
  const left = Object.values(alert ? withdrawDrill(alert, clock.now(), clock.now()).owed : {});
  expect(left.map(({ transition, channel }) => [transition, channel])).toEqual([['drill-over', 'team']]);
});

describe('beside a drill of somebody else', () => {
  const bos = { ...asked, by: 'bo', channels: ['team'] };
  const owedIn = ({ owed }: Alert) =>
    Object.values(owed).map(({ transition, channel, drill }) => `${transition} ${channel} by ${drill?.by}`);

  test('that is called while it is being sent, its pager is told that it is over', async () => {
    const got: string[] = [];
    let meanwhile: (() => Promise<void>) | undefined;
    const pager: Channel = {
      async send({ items }) {
        await meanwhile?.();
        meanwhile = undefined;
        got.push(...items.map(({ transition }) => transition));
        return { kind: 'sent' };
      },
    };
    const { alerts, clock, sweep } = await drilled({}, { channels: { pager } });
    meanwhile = async () => {
      const [stored] = await alerts.loadOfRule('drill:default');
      await alerts.save(callDrill(stored, { ...bos, at: clock.now() + 1000 }));
    };
    await sweep();
    for (let minute = 0; minute < 5; minute++) await sweep(1 / 60);
    expect(got).toEqual(['drill', 'drill-over']);
  });

  test('both reach a channel that they share', async () => {
    const { alerts, clock, sweep, told } = await drilled();
    const [stored] = await alerts.loadOfRule('drill:default');
    await alerts.save(callDrill(stored, { ...bos, at: clock.now() + 1000 }));
    await sweep(1 / 60);
    expect(told('team')).toEqual(['drill drill:default', 'drill drill:default']);
    await sweep(1 / 60);
    expect(told('team').slice(2)).toEqual(['drill-over drill:default', 'drill-over drill:default']);
  });

  test('what may have got through of the one is told to be over before the other', () => {
    const first = callDrill(undefined, { ...asked, channels: ['team', 'pager'], at: 1000 });
    const tried = take(first, Object.keys(first.owed), 121_000);
    expect(owedIn(callDrill(tried, { ...bos, at: 5000 })).toSorted()).toEqual([
      'drill pager by anna',
      'drill team by bo',
      'drill-over team by anna',
    ]);
  });

  test('the end of the one takes back nothing of the other', () => {
    const annas = callDrill(undefined, { ...asked, channels: ['team'], at: 1000 });
    const both = callDrill(annas, { ...bos, channels: ['team', 'pager'], at: 100_000 });
    expect(owedIn(withdrawDrill(both, 1000, 121_000))).toEqual(['drill team by bo', 'drill pager by bo']);
  });
});

describe('on a channel that is in trouble for long', () => {
  test('is told neither to be nor to be over, where nothing is known to have come through', async () => {
    let isMended = false;
    const got: string[] = [];
    const pager: Channel = {
      async send({ items }) {
        if (!isMended) return { kind: 'refused', reason: 'HTTP 500', permanent: false };
        got.push(...items.map(({ transition }) => transition));
        return { kind: 'sent' };
      },
    };
    const { alerts, clock, sweep, counted } = await drilled({}, { channels: { pager } });
    const calledAt = clock.now();
    await sweep();
    const [alert] = await alerts.loadOfRule('drill:default');
    if (alert) await alerts.save(withdrawDrill(alert, calledAt, clock.now()));
    for (let minute = 0; minute < 70; minute += 5) await sweep(5 / 60);
    isMended = true;
    await sweep(1);
    expect(got).toEqual([]);
    expect((await alerts.loadOfRule('drill:default'))[0]?.owed).toEqual({});
    expect(counted).not.toContain('AnnouncementsStuck');
  });

  test('is told to be over however late, where it opened an incident', async () => {
    const got: string[] = [];
    let isMended = true;
    const pager: Channel = {
      async send({ items }) {
        if (!isMended) return { kind: 'refused', reason: 'no such key', permanent: true };
        got.push(...items.map(({ transition }) => transition));
        isMended = false;
        return { kind: 'sent' };
      },
    };
    const { sweep, counted } = await drilled({}, { channels: { pager } });
    for (let hour = 0; hour < 4; hour++) await sweep(hour);
    isMended = true;
    await sweep(1.1);
    expect(got).toEqual(['drill', 'drill-over']);
    expect(counted).not.toContain('AnnouncementsStuck');
  });
});

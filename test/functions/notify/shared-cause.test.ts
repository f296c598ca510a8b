import { describe, expect, it } from 'vitest';
import { incidentNews } from '../../../shared/notifications/incident.ts';
import { HOUR_MS } from '../../../shared/units/durations.ts';
import { breached, evaluationOf, ruleNamed, value } from '../../fixtures/builders.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

const [a, b, c, d, e] = [ruleNamed('a'), ruleNamed('b'), ruleNamed('c'), ruleNamed('d'), ruleNamed('e')];
const means = ['m', 'n'].map((id) => ruleNamed(id, { metric: 'session_seconds', filters: [] }));
const rules = [a, b, c, d, e, ...means];
const routes = { channels: channelsNamed('team'), default: { channels: ['team'], group_by: ['rule'] } };
const fellBy = (change: number) =>
  breached(0, { change, difference: 100 * change, current: value(100 + 100 * change) });
const rose = evaluationOf(0, { verdict: 'breached', change: 0.6, difference: 60, current: value(160) });

type Notifier = Awaited<ReturnType<typeof createNotifier>>;

async function fall(notifier: Notifier, ...fallen: typeof rules) {
  for (const [i, rule] of fallen.entries())
    await notifier.happens(rule, { transition: 'fired', evaluation: fellBy(-0.4 - i / 10) });
  await notifier.sweep();
}

/** The incidents that a pager would have open after the messages to the team. */
function openIncidents(notifier: Notifier): string[] {
  const open = new Set<string>();
  for (const { items } of notifier.channel('team').sent)
    for (const item of items) {
      const news = incidentNews(item);
      if (news?.action === 'trigger') open.add(news.key);
      if (news?.action === 'resolve') open.delete(news.key);
    }
  return [...open];
}

describe('most counts of an app that fall together', () => {
  it('are one message that lists each of them, largest first, whatever the route groups by', async () => {
    const notifier = await createNotifier(rules, routes);
    await fall(notifier, a, b, c);
    const [message, ...others] = notifier.channel('team').sent;
    expect(others).toEqual([]);
    expect(message?.title).toBe('Tracking or the data source of demo may be down');
    expect(message?.items).toHaveLength(1);
    expect(message?.items[0]).toMatchObject({
      transition: 'fired',
      summary: '3 of the 5 counts evaluated in the same run fell together',
      facts: [
        { label: 'The rule c', text: 'down 60%' },
        { label: 'The rule b', text: 'down 50%' },
        { label: 'The rule a', text: 'down 40%' },
      ],
    });
    expect(await notifier.sweep(1)).toEqual({ sent: [], failed: [] });
  });

  it('are listed up to ten', async () => {
    const many = Array.from({ length: 12 }, (_, i) => ruleNamed(`r${i}`));
    const notifier = await createNotifier(many, routes);
    await fall(notifier, ...many);
    const labels = notifier.channel('team').sent[0]?.items[0]?.facts.map(({ label }) => label);
    expect(labels).toHaveLength(11);
    expect(labels?.at(-1)).toBe('And');
  });

  it.each([
    ['there are only two', [a, b], ['a', 'b']],
    ['the others are as many', [a, b, c], ['a', 'b', 'c'], ruleNamed('f')],
    ['some of them are means', [a, b, ...means], ['a', 'b', 'm', 'n']],
  ])('are not taken for a shared cause if %s', async (_name, fallen, notified, more = a) => {
    const notifier = await createNotifier([...new Set([...rules, more])], routes);
    await fall(notifier, ...fallen);
    expect(notifier.channel('team').sent.flatMap(({ items }) => items.map(({ ruleId }) => ruleId))).toEqual(
      notified,
    );
  });

  it('are not taken for a shared cause if one of them rose, or fell in another run', async () => {
    const notifier = await createNotifier(rules, routes);
    await notifier.happens(a, { transition: 'fired', evaluation: rose });
    await fall(notifier, b, c);
    notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
    await fall(notifier, d);
    expect(notifier.notified('team')).toEqual(['fired a', 'fired b', 'fired c', 'fired d']);
  });

  it('include segments that fell in the same run, but not rules that rose', async () => {
    const byCountry = ruleNamed('by-country', { group_by: 'device_country' });
    const notifier = await createNotifier([...rules, byCountry], { ...routes, default: ['team'] });
    await notifier.happens(byCountry, { transition: 'fired', segment: 'Malta', evaluation: fellBy(-0.9) });
    await notifier.happens(e, { transition: 'fired', evaluation: rose });
    await fall(notifier, a, b, c);
    const [message] = notifier.channel('team').sent;
    expect(message?.items.map(({ ruleId }) => ruleId)).toEqual(['cause:demo', 'e']);
    expect(message?.items[0]?.facts.map(({ label }) => label)).toContain('The rule by-country in Malta');
  });

  it('recover in one message if they recover together, which resolves the incident', async () => {
    const notifier = await createNotifier(rules, routes);
    await fall(notifier, a, b, c);
    expect(openIncidents(notifier)).toHaveLength(1);
    notifier.clock.advanceTo(notifier.clock.now() + 24 * HOUR_MS);
    for (const rule of [a, b, c]) await notifier.happens(rule, { transition: 'recovered' });
    await notifier.sweep();
    const [, message, ...others] = notifier.channel('team').sent;
    expect(others).toEqual([]);
    expect(message?.title).toBe('Recovered: counts that fell together in demo');
    expect(message?.items[0]?.facts).toHaveLength(3);
    expect(openIncidents(notifier)).toEqual([]);
  });

  it('keep the incident open until the last of them has recovered', async () => {
    const notifier = await createNotifier(rules, routes);
    await fall(notifier, a, b, c);
    const later: string[] = [];
    for (const [rule, transition] of [
      [a, 'recovered'],
      [b, 'accepted'],
      [c, 'recovered'],
    ] as const) {
      notifier.clock.advanceTo(notifier.clock.now() + 24 * HOUR_MS);
      await notifier.happens(rule, { transition });
      await notifier.sweep();
      later.push(`${notifier.notified('team').at(-1)}: ${openIncidents(notifier).length} open`);
    }
    expect(later).toEqual([
      'recovered a: 1 open',
      'accepted b: 1 open',
      expect.stringMatching(/^recovered cause:demo .*: 0 open$/),
    ]);
  });

  it('keep the incident open until all of them are stable, if they flap', async () => {
    const notifier = await createNotifier(rules, { ...routes, default: ['team'] });
    await fall(notifier, a, b, c);
    const later: string[] = [];
    const happens = async (transition: 'flapping' | 'calmed', ...of: typeof rules) => {
      notifier.clock.advanceTo(notifier.clock.now() + 12 * HOUR_MS);
      const flappingSinceAt = transition === 'flapping' ? notifier.clock.now() : null;
      for (const rule of of) {
        await notifier.happens(rule, { transition });
        const alert = await notifier.alertOf(rule);
        if (alert) await notifier.alerts.save({ ...alert, state: 'normal', fired: null, flappingSinceAt });
      }
      await notifier.sweep();
      later.push(`${notifier.channel('team').sent.at(-1)?.title}: ${openIncidents(notifier).length} open`);
    };
    await happens('flapping', a, b, c);
    await happens('calmed', a);
    await happens('calmed', b, c);
    expect(later).toEqual([
      'Flapping: counts that fell together in demo: 1 open',
      expect.stringMatching(/^Stable again: .*: 1 open$/),
      'Stable again: counts that fell together in demo: 0 open',
    ]);
  });

  it('are acknowledged when each of them that fires is acknowledged', async () => {
    const notifier = await createNotifier(rules, routes);
    await fall(notifier, a, b, c);
    const acknowledged = () =>
      notifier
        .channel('team')
        .sent.flatMap(({ items }) => items.flatMap((item) => incidentNews(item) ?? []))
        .filter(({ action, key }) => action === 'acknowledge' && openIncidents(notifier).includes(key))
        .length;
    const later: number[] = [];
    for (const [rule, transition] of [
      [a, 'recovered'],
      [b, 'acknowledged'],
      [c, 'acknowledged'],
    ] as const) {
      notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
      await notifier.happens(rule, { transition });
      await notifier.sweep();
      later.push(acknowledged());
    }
    expect(later).toEqual([0, 0, 1]);
  });

  it.each([
    [['restarted', 'restarted', 'restarted'], 'Ended: counts that fell together in demo', 'restarted'],
    [['accepted', 'accepted', 'accepted'], 'Rebaselined: counts that fell together in demo', 'accepted'],
    [['accepted', 'recovered', 'excused'], 'Ended: counts that fell together in demo', 'recovered'],
  ] as const)('end in one message after %s', async (ends, title, transition) => {
    const notifier = await createNotifier(rules, routes);
    await fall(notifier, a, b, c);
    notifier.clock.advanceTo(notifier.clock.now() + HOUR_MS);
    for (const [i, rule] of [a, b, c].entries())
      await notifier.happens(rule, { transition: ends[i] ?? 'recovered' });
    await notifier.sweep();
    expect(notifier.channel('team').sent[1]).toMatchObject({ title, items: [{ transition }] });
    expect(openIncidents(notifier)).toEqual([]);
  });

  it('are sent as one and end as one, even if the channel refused at first', async () => {
    const notifier = await createNotifier(rules, routes);
    notifier.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'no' });
    await fall(notifier, a, b, c);
    notifier.clock.advanceTo(notifier.clock.now() + 30_000);
    for (const rule of [a, b, c]) await notifier.happens(rule, { transition: 'recovered' });
    await notifier.sweep(1);
    const [message, ...others] = notifier.channel('team').sent;
    expect(others).toEqual([]);
    expect(message?.items.map(({ ruleId, transition }) => `${transition} ${ruleId}`)).toEqual([
      'fired cause:demo',
      'recovered cause:demo',
    ]);
    expect(openIncidents(notifier)).toEqual([]);
  });

  it('are repeated as one reminder', async () => {
    const repeating = { ...routes, default: { channels: ['team'], repeat: { after: '1 hour' } } };
    const notifier = await createNotifier(rules, repeating);
    await fall(notifier, a, b, c);
    await notifier.sweep(1);
    expect(notifier.channel('team').sent[1]?.items).toMatchObject([
      { ruleId: 'cause:demo', transition: 'reminded' },
    ]);
    // Each reminder has its own key, so that a receiver does not drop it as a duplicate.
    expect(notifier.channel('team').sent[1]?.items[0]?.key).toMatch(/#reminded#1$/);
  });
});

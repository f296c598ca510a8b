import { describe, expect, it } from 'vitest';
import { incidentNews } from '../../../shared/alerting/notifications/incident.ts';
import { breached, evaluationOf, HOUR, ruleNamed, value } from '../../fixtures/builders.ts';
import { anAnnouncer, channelsNamed } from '../announcer.ts';

const [a, b, c, d, e] = [ruleNamed('a'), ruleNamed('b'), ruleNamed('c'), ruleNamed('d'), ruleNamed('e')];
const means = ['m', 'n'].map((id) => ruleNamed(id, { metric: 'session_seconds', filters: [] }));
const rules = [a, b, c, d, e, ...means];
const routes = { channels: channelsNamed('team'), default: { channels: ['team'], group_by: ['rule'] } };
const fellBy = (change: number) => ({
  ...breached(0),
  change,
  difference: 100 * change,
  current: value(100 + 100 * change),
});
const rose = evaluationOf(0, { verdict: 'breached', change: 0.6, difference: 60, current: value(160) });

type Announcer = Awaited<ReturnType<typeof anAnnouncer>>;

async function fall(announcer: Announcer, ...fallen: typeof rules) {
  for (const [i, rule] of fallen.entries())
    await announcer.happens(rule, { transition: 'fired', evaluation: fellBy(-0.4 - i / 10) });
  await announcer.sweep();
}

/** The incidents that a pager has open by what the team was sent. */
function openIncidents(announcer: Announcer): string[] {
  const open = new Set<string>();
  for (const { items } of announcer.channel('team').sent)
    for (const item of items) {
      const news = incidentNews(item);
      if (news?.action === 'trigger') open.add(news.key);
      if (news?.action === 'resolve') open.delete(news.key);
    }
  return [...open];
}

describe('most counts of an app that fall together', () => {
  it('are one message, whatever the route groups by, with each of them, the largest first', async () => {
    const announcer = await anAnnouncer(rules, routes);
    await fall(announcer, a, b, c);
    const [message, ...others] = announcer.channel('team').sent;
    expect(others).toEqual([]);
    expect(message?.title).toBe('Tracking or the data source of demo may be down');
    expect(message?.items).toHaveLength(1);
    expect(message?.items[0]).toMatchObject({
      transition: 'fired',
      summary: '3 of the 5 counts evaluated in the same run fell together',
      facts: [
        { label: 'The rule c', text: 'down 60 %' },
        { label: 'The rule b', text: 'down 50 %' },
        { label: 'The rule a', text: 'down 40 %' },
      ],
    });
    expect(await announcer.sweep(1)).toEqual({ sent: [], failed: [] });
  });

  it('are listed up to ten of them', async () => {
    const many = Array.from({ length: 12 }, (_, i) => ruleNamed(`r${i}`));
    const announcer = await anAnnouncer(many, routes);
    await fall(announcer, ...many);
    const labels = announcer.channel('team').sent[0]?.items[0]?.facts.map(({ label }) => label);
    expect(labels).toHaveLength(11);
    expect(labels?.at(-1)).toBe('And');
  });

  it.each([
    ['of two only', [a, b], ['a', 'b']],
    ['of half of them', [a, b, c], ['a', 'b', 'c'], ruleNamed('f')],
    ['of means', [a, b, ...means], ['a', 'b', 'm', 'n']],
  ])('are no such thing: %s', async (_name, fallen, notified, more = a) => {
    const announcer = await anAnnouncer([...new Set([...rules, more])], routes);
    await fall(announcer, ...fallen);
    expect(announcer.channel('team').sent.flatMap(({ items }) => items.map(({ ruleId }) => ruleId))).toEqual(
      notified,
    );
  });

  it('are no such thing when one of them rose, or fell in another run', async () => {
    const announcer = await anAnnouncer(rules, routes);
    await announcer.happens(a, { transition: 'fired', evaluation: rose });
    await fall(announcer, b, c);
    announcer.clock.advanceTo(announcer.clock.now() + HOUR);
    await fall(announcer, d);
    expect(announcer.notified('team')).toEqual(['fired a', 'fired b', 'fired c', 'fired d']);
  });

  it('stand for what falls beside them, and for nothing else', async () => {
    const byCountry = ruleNamed('by-country', { group_by: 'device_country' });
    const announcer = await anAnnouncer([...rules, byCountry], { ...routes, default: ['team'] });
    await announcer.happens(byCountry, { transition: 'fired', segment: 'Malta', evaluation: fellBy(-0.9) });
    await announcer.happens(e, { transition: 'fired', evaluation: rose });
    await fall(announcer, a, b, c);
    const [message] = announcer.channel('team').sent;
    expect(message?.items.map(({ ruleId }) => ruleId)).toEqual(['cause:demo', 'e']);
    expect(message?.items[0]?.facts.map(({ label }) => label)).toContain('The rule by-country in Malta');
  });

  it('recover in one message when they recover together, which closes the one incident', async () => {
    const announcer = await anAnnouncer(rules, routes);
    await fall(announcer, a, b, c);
    expect(openIncidents(announcer)).toHaveLength(1);
    announcer.clock.advanceTo(announcer.clock.now() + 24 * HOUR);
    for (const rule of [a, b, c]) await announcer.happens(rule, { transition: 'recovered' });
    await announcer.sweep();
    const [, message, ...others] = announcer.channel('team').sent;
    expect(others).toEqual([]);
    expect(message?.title).toBe('Recovered: counts that fell together in demo');
    expect(message?.items[0]?.facts).toHaveLength(3);
    expect(openIncidents(announcer)).toEqual([]);
  });

  it('are an incident until the last of them has recovered', async () => {
    const announcer = await anAnnouncer(rules, routes);
    await fall(announcer, a, b, c);
    const later: string[] = [];
    for (const [rule, transition] of [
      [a, 'recovered'],
      [b, 'accepted'],
      [c, 'recovered'],
    ] as const) {
      announcer.clock.advanceTo(announcer.clock.now() + 24 * HOUR);
      await announcer.happens(rule, { transition });
      await announcer.sweep();
      later.push(`${announcer.notified('team').at(-1)}: ${openIncidents(announcer).length} open`);
    }
    expect(later).toEqual([
      'recovered a: 1 open',
      'accepted b: 1 open',
      expect.stringMatching(/^recovered cause:demo .*: 0 open$/),
    ]);
  });

  it('are an incident until all of them are calm, though they come and go', async () => {
    const announcer = await anAnnouncer(rules, { ...routes, default: ['team'] });
    await fall(announcer, a, b, c);
    const later: string[] = [];
    const happens = async (transition: 'flapping' | 'calmed', ...of: typeof rules) => {
      announcer.clock.advanceTo(announcer.clock.now() + 12 * HOUR);
      const flappingSinceAt = transition === 'flapping' ? announcer.clock.now() : null;
      for (const rule of of) {
        await announcer.happens(rule, { transition });
        const alert = await announcer.alertOf(rule);
        if (alert) await announcer.alerts.save({ ...alert, state: 'normal', fired: null, flappingSinceAt });
      }
      await announcer.sweep();
      later.push(`${announcer.channel('team').sent.at(-1)?.title}: ${openIncidents(announcer).length} open`);
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

  it('are taken when somebody has the last of them that fires', async () => {
    const announcer = await anAnnouncer(rules, routes);
    await fall(announcer, a, b, c);
    const acknowledged = () =>
      announcer
        .channel('team')
        .sent.flatMap(({ items }) => items.flatMap((item) => incidentNews(item) ?? []))
        .filter(({ action, key }) => action === 'acknowledge' && openIncidents(announcer).includes(key))
        .length;
    const later: number[] = [];
    for (const [rule, transition] of [
      [a, 'recovered'],
      [b, 'acknowledged'],
      [c, 'acknowledged'],
    ] as const) {
      announcer.clock.advanceTo(announcer.clock.now() + HOUR);
      await announcer.happens(rule, { transition });
      await announcer.sweep();
      later.push(acknowledged());
    }
    expect(later).toEqual([0, 0, 1]);
  });

  it.each([
    [['restarted', 'restarted', 'restarted'], 'Ended: counts that fell together in demo', 'restarted'],
    [['accepted', 'accepted', 'accepted'], 'Rebaselined: counts that fell together in demo', 'accepted'],
    [['accepted', 'recovered', 'excused'], 'Ended: counts that fell together in demo', 'recovered'],
  ] as const)('that %s are told so', async (ends, title, transition) => {
    const announcer = await anAnnouncer(rules, routes);
    await fall(announcer, a, b, c);
    announcer.clock.advanceTo(announcer.clock.now() + HOUR);
    for (const [i, rule] of [a, b, c].entries())
      await announcer.happens(rule, { transition: ends[i] ?? 'recovered' });
    await announcer.sweep();
    expect(announcer.channel('team').sent[1]).toMatchObject({ title, items: [{ transition }] });
    expect(openIncidents(announcer)).toEqual([]);
  });

  it('are told as one though the channel refused at first, and end as one', async () => {
    const announcer = await anAnnouncer(rules, routes);
    announcer.channel('team').refuseNext({ kind: 'refused', permanent: false, reason: 'no' });
    await fall(announcer, a, b, c);
    announcer.clock.advanceTo(announcer.clock.now() + 30_000);
    for (const rule of [a, b, c]) await announcer.happens(rule, { transition: 'recovered' });
    await announcer.sweep(1);
    const [message, ...others] = announcer.channel('team').sent;
    expect(others).toEqual([]);
    expect(message?.items.map(({ ruleId, transition }) => `${transition} ${ruleId}`)).toEqual([
      'fired cause:demo',
      'recovered cause:demo',
    ]);
    expect(openIncidents(announcer)).toEqual([]);
  });

  it('are reminded of as one', async () => {
    const repeating = { ...routes, default: { channels: ['team'], repeat: { after: '1 hour' } } };
    const announcer = await anAnnouncer(rules, repeating);
    await fall(announcer, a, b, c);
    await announcer.sweep(1);
    expect(announcer.channel('team').sent[1]?.items).toMatchObject([
      { ruleId: 'cause:demo', transition: 'reminded' },
    ]);
    // Each reminder has a key of its own, so that a receiver drops none of them.
    expect(announcer.channel('team').sent[1]?.items[0]?.key).toMatch(/#reminded#1$/);
  });
});

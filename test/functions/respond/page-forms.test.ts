import { beforeEach, describe, expect, it } from 'vitest';
import { advance } from '../../../shared/alerts/lifecycle.ts';
import { alertPath } from '../../../shared/messages/page-paths.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { matchedOf, matches } from '../../../shared/silences/matching.ts';
import { inMemoryStores } from '../../../shared/store/in-memory/stores.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { breached, evaluationOf, MONDAY, ruleNamed } from '../../fixtures/builders.ts';
import { type Desk, firing, NOW, openDesk, RULE, URL_ROOT } from './desk.ts';

let desk: Desk;
let Cookie: string;
beforeEach(async () => {
  desk = await openDesk();
  Cookie = `__Host-session=${await desk.sign('session', { by: 'Anna' })}`;
});

const submit = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  desk.post(path, form, { Cookie, ...headers });

const leadsTo = (response: Response) => [response.status, response.headers.get('location')];

describe('noting on the page', () => {
  const form = { text: 'release 7.22', app: 'demo', minutes_ago: '40', back: '/alerts/sales?segment=a' };

  it('saves the note under the name of the session, and redirects back', async () => {
    expect(leadsTo(await submit('/notes', form))).toEqual([303, '/alerts/sales?segment=a&done=noted']);
    const at = NOW - 40 * 60_000;
    expect(await desk.notes.load({ fromAt: at, throughAt: at })).toMatchObject([
      { text: 'release 7.22', app: 'demo', by: 'Anna' },
    ]);
  });

  it.each([
    ['no text', { text: ' ' }, '/alerts/sales?segment=a&done=invalid'],
    ['a time in the future', { minutes_ago: '-5' }, '/alerts/sales?segment=a&done=invalid'],
    ['a page elsewhere', { back: '//evil.example/alerts/' }, '/rules?done=invalid'],
    ['a page with a line break', { back: '/alerts/sales\n' }, '/rules?done=invalid'],
    ['a page elsewhere, written otherwise', { back: '/alerts/\\\\evil.example' }, '/rules?done=invalid'],
  ])('refuses %s', async (_, wrong, path) => {
    expect(leadsTo(await submit('/notes', { ...form, ...wrong }))).toEqual([303, path]);
    expect(await desk.notes.load({ fromAt: 0, throughAt: NOW })).toEqual([]);
  });
});

it.each(['/notes', '/silences', '/silences/expire', '/alerts/answer', '/alerts/answers'])(
  'refuses a body at %s that is not a form, and keeps nothing',
  async (path) => {
    const headers = { Origin: URL_ROOT, Cookie, 'Content-Type': 'multipart/form-data' };
    const response = await desk.request(path, { method: 'POST', headers, body: 'no boundary' });
    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toMatch(/done=(?:invalid|too-late)$/);
  },
);

describe('answering on the page', () => {
  it('works like a link, uses the name of the session, and redirects back', async () => {
    const form = { rule: 'sales', answer: 'acknowledge', by: 'Other', reason: 'on it' };
    expect(leadsTo(await submit('/alerts/answer', form))).toEqual([303, '/alerts/sales?done=answered']);
    expect(await desk.stored()).toMatchObject({
      acknowledged: { by: 'Anna', reason: 'on it', at: NOW },
      answers: [{ answer: 'acknowledge' }],
    });
  });

  it('applies to the segment of the form, including the empty one', async () => {
    await desk.alerts.save(firing(RULE, { segment: '' }));
    const form = { rule: 'sales', segment: '', answer: 'snooze-1h' };
    expect(leadsTo(await submit('/alerts/answer', form))).toEqual([
      303,
      '/alerts/sales?segment=&done=answered',
    ]);
    const [empty] = await desk.alerts.load([{ ruleId: 'sales', segment: '' }]);
    expect([empty?.snoozed?.by, (await desk.stored()).snoozed]).toEqual(['Anna', null]);
  });

  it('counts once if its form is submitted twice, and again from a new page', async () => {
    const formOf = async () => {
      const page = await (await desk.request('/alerts/sales', { headers: { Cookie } })).text();
      const kept = [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)];
      return Object.fromEntries(kept.map(([, name, value]) => [name, value]));
    };
    const form = await formOf();
    const send = (answer: string, from = form) => submit('/alerts/answer', { ...from, answer });
    expect(leadsTo(await send('snooze-1h'))[1]).toBe('/alerts/sales?done=answered');
    desk.clock.advanceTo(NOW + 1000);
    expect(leadsTo(await send('snooze-1h'))[1]).toBe('/alerts/sales?done=again');
    expect(leadsTo(await send('acknowledge'))[1]).toBe('/alerts/sales?done=answered');
    expect(leadsTo(await send('snooze-1h', await formOf()))[1]).toBe('/alerts/sales?done=answered');
    expect((await desk.stored()).answers).toHaveLength(3);
  });

  it('has no effect if the alert has changed', async () => {
    const recovered = advance(await desk.stored(), evaluationOf(1), RULE).alert;
    await desk.alerts.save(advance(recovered, breached(2), RULE).alert);
    const form = { rule: 'sales', answer: 'accept', fired: `${MONDAY + DAY_MS}` };
    expect(leadsTo(await submit('/alerts/answer', form))).toEqual([303, '/alerts/sales?done=too-late']);
    expect((await desk.stored()).fired).not.toBeNull();
  });

  it.each<[string, Record<string, string>, string]>([
    ['no rule', { answer: 'accept' }, '/alerts?done=invalid'],
    ['an unknown answer', { rule: 'sales', answer: 'delete' }, '/alerts?done=invalid'],
    ['an unknown alert', { rule: 'other', answer: 'accept' }, '/alerts/other?done=too-late'],
    [
      'a long reason',
      { rule: 'sales', answer: 'accept', reason: 'x'.repeat(501) },
      '/alerts/sales?done=invalid',
    ],
  ])('does nothing with %s', async (_, form, to) => {
    expect(leadsTo(await submit('/alerts/answer', form))).toEqual([303, to]);
    expect(desk.writes).toEqual([]);
  });
});

describe('answering several alerts on the page', () => {
  const textOf = async (response: Response) => (await response.text()).match(/<main.*<\/main>/s)?.[0] ?? '';
  /** The form of the list, with the boxes of these segments ticked. */
  const formOf = async (segments: string[], from = desk): Promise<[string, string][]> => {
    const html = await (await from.request('/alerts', { headers: { Cookie } })).text();
    const id = html.match(/name="form" value="([^"]*)"/)?.[1] ?? '';
    const boxes = [...html.matchAll(/type="checkbox" name="alert" value="([^"]*)"/g)].map(([, value = '']) =>
      value.replaceAll('&amp;', '&'),
    );
    const named = boxes.filter((box) => segments.includes(new URLSearchParams(box).get('segment') ?? ''));
    return [
      ['form', id],
      ['reason', 'the provider is down'],
      ...named.map((box): [string, string] => ['alert', box]),
    ];
  };
  const send = (form: [string, string][], answer = 'acknowledge', from = desk) =>
    from.request('/alerts/answers', {
      method: 'POST',
      headers: { Cookie, Origin: URL_ROOT },
      body: new URLSearchParams([...form, ['answer', answer]]),
    });
  const rule = ruleNamed('sales', { title: 'Sales', group_by: 'device_country', recover_after: '1 of 1' });
  const loaded = async (segment: string) => (await desk.alerts.load([{ ruleId: 'sales', segment }]))[0];
  beforeEach(async () => {
    desk = await openDesk({}, { rule, alert: firing(rule, { segment: 'DE' }) });
    Cookie = `__Host-session=${await desk.sign('session', { by: 'Anna' })}`;
    for (const segment of ['FR', 'ES', 'a&b=c']) await desk.alerts.save(firing(rule, { segment }));
  });

  it('gives one answer and reason to the ticked ones, and says how many', async () => {
    const text = await textOf(await send(await formOf(['DE', 'a&b=c'])));
    expect(text).toContain('2 acknowledged');
    const said = { by: 'Anna', reason: 'the provider is down' };
    for (const segment of ['DE', 'a&b=c']) expect((await loaded(segment))?.acknowledged).toMatchObject(said);
    for (const segment of ['FR', 'ES']) expect((await loaded(segment))?.acknowledged).toBeNull();
  });

  it('says which ones had changed, and why', async () => {
    const form = await formOf(['DE', 'FR', 'ES']);
    const before = await loaded('FR');
    if (before) await desk.alerts.save(advance(before, evaluationOf(1), rule).alert);
    const text = await textOf(await send(form));
    expect(text).toContain('2 acknowledged, 1 had changed');
    expect(text).toMatch(/FR.*stopped firing/s);
    expect(text).not.toMatch(/<li>.*ES/s);
  });

  it('counts once if the form is submitted twice', async () => {
    const form = await formOf(['DE', 'FR']);
    await send(form, 'snooze-1h');
    desk.clock.advanceTo(NOW + 1000);
    expect(await textOf(await send(form, 'snooze-1h'))).toContain('2 answered before by the same form');
    expect((await loaded('DE'))?.answers).toHaveLength(1);
  });

  it('answers the others if one cannot be saved, and says so', async () => {
    const stores = inMemoryStores();
    const form = await formOf(['DE', 'FR']);
    const save = desk.alerts.save.bind(desk.alerts);
    const alerts = {
      ...stores.alerts,
      load: desk.alerts.load,
      save: async (alert: Parameters<typeof save>[0]) => {
        if (alert.segment === 'FR') throw new UpstreamError('the table does not answer', { retryable: true });
        return save(alert);
      },
    };
    const failing = await openDesk({ alerts }, { rule });
    const cookie = `__Host-session=${await failing.sign('session', { by: 'Anna' })}`;
    const response = await failing.request('/alerts/answers', {
      method: 'POST',
      headers: { Cookie: cookie, Origin: URL_ROOT },
      body: new URLSearchParams([...form, ['answer', 'acknowledge']]),
    });
    const text = await textOf(response);
    expect(text).toContain('1 acknowledged, 1 failed');
    expect(text).toMatch(/FR.*the table does not answer/s);
    expect((await loaded('DE'))?.acknowledged?.by).toBe('Anna');
  });

  it('says so if nothing is ticked, and refuses what is no alert', async () => {
    expect(await textOf(await send(await formOf([])))).toContain('Nothing selected');
    expect(leadsTo(await send([['alert', 'segment=DE']]))).toEqual([303, '/alerts?done=invalid']);
    expect(desk.writes).toEqual([]);
  });
});

describe('a silence', () => {
  it('has the length and the conditions of the form', async () => {
    const form = { app: 'demo', rule: '', severity: '', segment: '', hours: '2', reason: 'moving house' };
    expect(leadsTo(await submit('/silences', form))).toEqual([303, '/silences?done=silenced']);
    expect(await desk.silences.loadAll()).toEqual([
      {
        ...{ id: 'id-1', match: { app: 'demo' }, fromAt: NOW, untilAt: NOW + 2 * HOUR_MS },
        ...{ by: 'Anna', reason: 'moving house', at: NOW },
      },
    ]);
  });

  it.each<[string, Record<string, string>]>([
    ['everything', { hours: '2' }],
    ['everything, with patterns', { rule: '*', app: '**', segment: ' * ', hours: '2' }],
    ['no hours', { app: 'demo' }],
    ['zero hours', { app: 'demo', hours: '0' }],
    ['empty hours', { app: 'demo', hours: '' }],
    ['more than 30 days', { app: 'demo', hours: '721' }],
  ])('of %s is not created', async (_, form) => {
    expect(leadsTo(await submit('/silences', form))).toEqual([303, '/silences?done=invalid']);
    expect(desk.writes).toEqual([]);
  });

  it.each(['US', ' US', '', '*', 'a*c'])('from an alert matches exactly its segment: %j', async (segment) => {
    await desk.alerts.save(firing(RULE, { segment }));
    const shown = await (
      await desk.request(alertPath({ ruleId: 'sales', segment }), { headers: { Cookie } })
    ).text();
    const link = shown.match(/href="(\/silences\?[^"#]*)#add"/)?.[1]?.replaceAll('&amp;', '&') ?? '';
    const form = await (await desk.request(link, { headers: { Cookie } })).text();
    const kept = [...form.matchAll(/name="(rule|segment\w*)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]);
    await submit('/silences', { ...Object.fromEntries(kept), hours: '2' });
    const [silence] = await desk.silences.loadAll();
    const isSilent = (other: string | null) =>
      matches(silence?.match ?? {}, matchedOf({ alert: firing(RULE, { segment: other }), rule: RULE }));
    const segments = [...new Set(['US', ' US', '', '*', 'a*c', 'abc', 'DE', null])];
    expect(segments.filter(isSilent)).toEqual([segment]);
  });

  it('can be ended early, once', async () => {
    await submit('/silences', { app: 'demo', hours: '2' });
    desk.clock.advanceTo(NOW + HOUR_MS);
    const end = () => submit('/silences/expire', { id: 'id-1' });
    expect(leadsTo(await end())).toEqual([303, '/silences?done=unsilenced']);
    expect(await desk.silences.loadAll()).toMatchObject([{ fromAt: NOW, untilAt: NOW + HOUR_MS }]);
    expect(leadsTo(await end())).toEqual([303, '/silences?done=too-late']);
  });
});

describe('a form from another site', () => {
  const form = { rule: 'sales', answer: 'accept', by: 'Eve' };
  const send = (headers: Record<string, string>) =>
    desk.request('/alerts/answer', {
      method: 'POST',
      headers: { Cookie, ...headers },
      body: new URLSearchParams(form),
    });

  it.each<[string, Record<string, string>]>([
    ['has its origin', { Origin: 'https://evil.example' }],
    ['is from a subdomain', { Origin: 'https://evil.watch.example.com', 'Sec-Fetch-Site': 'same-site' }],
    ['has the origin null', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    ['has no origin', {}],
  ])('is refused if it %s', async (_, headers) => {
    expect((await send(headers)).status).toBe(403);
    expect(desk.writes).toEqual([]);
  });

  it.each<[string, Record<string, string>]>([
    ['has our origin', { Origin: URL_ROOT }],
    ['has Sec-Fetch-Site same-origin only', { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' }],
  ])('is refused, while our own is accepted if it %s', async (_, headers) => {
    expect((await send(headers)).status).toBe(303);
  });

  it('has no effect if it is sent as JSON', async () => {
    const response = await desk.request('/alerts/answer', {
      method: 'POST',
      headers: { Cookie, 'Content-Type': 'application/json', Origin: 'https://evil.example' },
      body: JSON.stringify(form),
    });
    expect(leadsTo(response)).toEqual([303, '/alerts?done=invalid']);
    expect(desk.writes).toEqual([]);
  });
});

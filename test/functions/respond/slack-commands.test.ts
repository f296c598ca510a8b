import { afterEach, describe, expect, it, test } from 'vitest';
import { listen } from '../../../local/http-server.ts';
import { isFromSlack } from '../../../shared/channels/slack/signed-requests.ts';
import { UpstreamError } from '../../../shared/runtime/errors.ts';
import { DAY_MS, HOUR_MS } from '../../../shared/units/durations.ts';
import { documentAt, tableIn } from '../../docs/documents.ts';
import { alertOf, ruleNamed, ruleSetOf } from '../../fixtures/builders.ts';
import { firing, NOW, openDesk, RULE, URL_ROOT } from './desk.ts';
import { SECRET, signed } from './slack-signature.ts';

const RESPONSE_URL = 'https://hooks.slack.com/commands/T0/1/abc';

/** What Slack posts for "/deltawatch" and this text. */
function typed(text: string, fields: Record<string, string> = {}): string {
  return new URLSearchParams({
    ...{ token: 'old', team_id: 'T1', team_domain: 'shop', channel_id: 'C1', channel_name: 'growth' },
    ...{ user_id: 'U1', user_name: 'anna', command: '/deltawatch', text, api_app_id: 'A1' },
    ...{ is_enterprise_install: 'false', response_url: RESPONSE_URL, trigger_id: '1.2.a' },
    ...fields,
  }).toString();
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** The app of a desk behind a real server, with a Slack that keeps what people see. */
async function slackDesk(
  { isReached = true, ...overrides }: Parameters<typeof openDesk>[0] & { isReached?: boolean } = {},
  initial?: Parameters<typeof openDesk>[1],
) {
  const replies: { to: string; text: string }[] = [];
  const desk = await openDesk(
    {
      slack: {
        isGenuine: async (request) => isFromSlack(request, SECRET, desk.clock.now()),
        async reply(to, text) {
          replies.push({ to, text });
          return isReached;
        },
      },
      ...overrides,
    },
    initial,
  );
  const server = await listen((request) => desk.app.fetch(request), { host: '127.0.0.1', port: 0 });
  closing.push(() => server.close(0));
  const post = (body: string, headers = signed(body)) =>
    fetch(`${server.url}/slack/commands`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body,
    });
  let requests = 0;
  /** The text that the person sees. */
  const say = async (text: string, fields: Record<string, string> = {}) => {
    const response = await post(typed(text, { trigger_id: `1.${++requests}`, ...fields }));
    expect([response.status, await response.text()]).toEqual([200, '']);
    const [reply, ...others] = replies.splice(0);
    expect([reply?.to, others]).toEqual([RESPONSE_URL, []]);
    return reply?.text ?? '';
  };
  return { ...desk, replies, post, say };
}

const GROUPED = ruleNamed('countries', {
  title: 'Sales by country',
  group_by: 'device_country',
  owner: 'payments',
});

/** A desk in which two countries fire too. */
async function withCountries() {
  const desk = await slackDesk();
  await desk.rules.save({ ...ruleSetOf(RULE, GROUPED), version: 'next' });
  for (const segment of ['DE', 'FR']) await desk.alerts.save({ ...firing(GROUPED), segment });
  const countryOf = (segment: string) => desk.alerts.load([{ ruleId: 'countries', segment }]);
  return { ...desk, countryOf };
}

const idIn = (line = '') => /^`(\w+)`/.exec(line)?.[1] ?? '';

describe('list', () => {
  it('shows open alerts with an id and a link, most severe first', async () => {
    const desk = await slackDesk();
    const severe = ruleNamed('orders', { title: 'Orders', severity: 'critical' });
    await desk.rules.save({ ...ruleSetOf(RULE, severe), version: 'next' });
    await desk.alerts.save(firing(severe));
    const lines = (await desk.say('list')).split('\n');
    const since = 'since Mon 2 Mar 2026, 00:00 (UTC)';
    expect(lines).toEqual([
      expect.stringMatching(
        /^`[0-9a-f]{8}` <https:\/\/watch\.example\.com\/alerts\/orders\|Orders down 60%>: /,
      ),
      expect.stringContaining('|Sales down 60%>: warning, firing, not acknowledged'),
    ]);
    expect(lines.every((line) => line.endsWith(since))).toBe(true);
    await desk.say('ack sales');
    expect((await desk.say('list sales')).split('\n')).toEqual([
      expect.stringContaining('warning, firing, acknowledged by anna, since'),
    ]);
  });

  it('is narrowed by rule, app, owner or segment', async () => {
    const { say } = await withCountries();
    const shown = async (words: string) =>
      [...(await say(`list ${words}`)).matchAll(/\|(.*?)>: /g)].map(([, label]) => label);
    expect(await shown('payments')).toEqual([
      'Sales by country: DE down 60%',
      'Sales by country: FR down 60%',
    ]);
    expect(await shown('country fr')).toEqual(['Sales by country: FR down 60%']);
    expect(await shown('demo')).toHaveLength(3);
    expect(await say('list nothing')).toBe('No open alert has these words.');
  });

  it('ends after ten alerts', async () => {
    const desk = await slackDesk();
    await desk.rules.save({ ...ruleSetOf(GROUPED), version: 'next' });
    for (let i = 0; i < 13; i++) await desk.alerts.save({ ...firing(GROUPED), segment: `S${i}` });
    const lines = (await desk.say('list')).split('\n');
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe(`+3 more: <${URL_ROOT}/alerts|all alerts>`);
  });

  it('says what it does not know', async () => {
    const desk = await slackDesk({}, { alert: alertOf(RULE) });
    expect(await desk.say('list')).toBe('No open alerts.');
    const streak = { since: NOW, through: NOW, streak: 1, notified: true };
    const reason = { code: 'read-failed', error: 'the service was silent' } as const;
    const { revision } = await desk.stored();
    await desk.alerts.save(alertOf(RULE, { revision, health: { kind: 'failing', ...streak, reason } }));
    expect(await desk.say('list')).toBe(
      `No open alerts.\n1 cannot be evaluated or read: <${URL_ROOT}/health|Health>`,
    );
  });
});

describe('ack and snooze', () => {
  it.each(['ack sales the provider is down', 'ack  sales   the provider\nis down '])('%j', async (text) => {
    const { say, stored, audit } = await slackDesk();
    expect(await say(text)).toBe(`<${URL_ROOT}/alerts/sales|Sales>. Acknowledge: done. Recorded.`);
    expect((await stored()).acknowledged).toEqual({ by: 'anna', reason: 'the provider is down', at: NOW });
    expect(await audit.load({ atMost: 9 })).toMatchObject([{ by: 'anna', how: 'slack', on: 'sales' }]);
  });

  it('takes an id of the list', async () => {
    const { say, countryOf } = await withCountries();
    const id = idIn(await say('list fr'));
    expect(await say(`ack ${id.slice(0, 6)}`)).toContain('Sales by country: FR>. Acknowledge: done.');
    expect((await countryOf('FR'))[0]?.acknowledged?.by).toBe('anna');
    expect((await countryOf('DE'))[0]?.acknowledged).toBeNull();
  });

  it('does not take fewer than four letters for an id', async () => {
    const { say, writes } = await withCountries();
    const id = idIn(await say('list fr'));
    expect(await say(`ack ${id.slice(0, 3)}`)).toContain('Nothing changed: no open alert');
    expect(writes).toEqual([]);
  });

  it('changes nothing if several alerts have the name', async () => {
    const { say, writes } = await withCountries();
    expect(await say('ack countries')).toBe(
      'Nothing changed: 2 open alerts have "countries": use the id in the list.',
    );
    expect(writes).toEqual([]);
  });

  it.each<[string, string]>([
    ['1h', 'Snooze 1 h'],
    ['1d', 'Snooze 1 day'],
    ['1w', 'Snooze 1 week'],
    ['until-recovered', 'Snooze until it recovers'],
  ])('snoozes for %s', async (length, label) => {
    const { say, stored } = await slackDesk();
    expect(await say(`snooze sales ${length} known`)).toContain(`${label}: done.`);
    expect((await stored()).snoozed).toMatchObject({ by: 'anna', reason: 'known' });
  });

  it('uses the id of a user without a name', async () => {
    const { say, stored } = await slackDesk();
    await say('ack sales', { user_name: '' });
    expect((await stored()).acknowledged?.by).toBe('U1');
  });

  it('counts once if the request is sent again', async () => {
    const { post, stored } = await slackDesk();
    const body = typed('snooze sales 1h');
    await post(body);
    await post(body);
    expect((await stored()).answers).toHaveLength(1);
  });

  it('shows who was first', async () => {
    const { say, stored } = await slackDesk();
    await say('ack sales', { user_name: 'ben' });
    expect(await say('ack sales')).toContain('Nothing changed. ben acknowledged it already');
    expect((await stored()).acknowledged?.by).toBe('ben');
  });
});

describe('silence', () => {
  it.each<[string, string, object, string, number]>([
    ['a rule', 'silence sales 4 data migration', { rule: 'sales' }, 'data migration', 4],
    ['an app', 'silence demo 1.5h', { app: 'demo' }, '', 1.5],
  ])('of %s', async (_, text, match, reason, hours) => {
    const { say, silences } = await slackDesk();
    expect(await say(text)).toMatch(
      /sends no messages until Tue 3 Mar 2026, \d\d:\d\d \(UTC\)\. <https.*\/silences\|End it>$/,
    );
    expect(await silences.loadAll()).toEqual([
      {
        ...{ id: expect.stringMatching(/^[0-9a-f]{16}$/), match, by: 'anna', reason },
        ...{ fromAt: NOW, at: NOW, untilAt: NOW + hours * HOUR_MS },
      },
    ]);
  });

  it('counts once if the request is sent again, even if it has been ended', async () => {
    const { post, silences, clock } = await slackDesk();
    const body = typed('silence sales 4');
    await post(body);
    const [first] = await silences.loadAll();
    if (!first) throw new Error('there is no silence');
    await silences.save({ ...first, untilAt: NOW + 1 });
    clock.advanceTo(NOW + 60_000);
    await post(body);
    expect(await silences.loadAll()).toEqual([{ ...first, untilAt: NOW + 1 }]);
  });
});

test.each<[string, string]>([
  ['ack', 'Nothing changed: no open alert has the id or rule "".'],
  ['ack orders', 'Nothing changed: no open alert has the id or rule "orders".'],
  ['ack <!channel>', 'Nothing changed: no open alert has the id or rule "&lt;!channel&gt;".'],
  [`ack sales ${'x'.repeat(501)}`, 'Nothing changed: the reason is too long.'],
  ['snooze sales', 'Nothing changed: write how long after the alert: 1h, 1d, 1w, until-recovered.'],
  ['snooze sales 3h', 'Nothing changed: write how long after the alert: 1h, 1d, 1w, until-recovered.'],
  ['silence orders 4', 'Nothing changed: there is no rule or app "orders".'],
  ['silence * 4', 'Nothing changed: there is no rule or app "*".'],
  ['silence sales', 'Nothing changed: write a number of hours after "sales", at most 720.'],
  ['silence sales soon', 'Nothing changed: write a number of hours after "sales", at most 720.'],
  ['silence sales 721', 'Nothing changed: write a number of hours after "sales", at most 720.'],
  ['silence sales -1', 'Nothing changed: write a number of hours after "sales", at most 720.'],
])('%s changes nothing and says what would be right', async (text, said) => {
  const { say, writes } = await slackDesk();
  expect(await say(text)).toBe(said);
  expect(writes).toEqual([]);
});

test.each(['', 'help', 'HELP me', 'delete sales'])('%j shows the commands', async (text) => {
  const { say, writes } = await slackDesk();
  const lines = (await say(text)).split('\n');
  expect(lines.map((line) => line.split(/[ `]+/).slice(1, 3).join(' '))).toEqual([
    ...['/deltawatch list', '/deltawatch ack', '/deltawatch snooze', '/deltawatch silence'],
    expect.any(String),
  ]);
  expect(lines[1]).toContain('&lt;alert&gt;');
  const documented = tableIn(documentAt('docs/reference/answers.md'), 'command').map(([command]) => command);
  expect(documented.map((command) => command?.split(/[ `]+/).slice(1, 3).join(' '))).toEqual([
    ...lines.slice(0, -1).map((line) => line.split(/[ `]+/).slice(1, 3).join(' ')),
    '/deltawatch help',
  ]);
  expect(writes).toEqual([]);
});

test('names from data and people are text, never mentions or links', async () => {
  const rule = ruleNamed('sales', {
    title: 'Sales <!here> & <https://evil.example|more>',
    group_by: 'device_country',
  });
  const alert = { ...firing(rule), segment: '<!channel>\n> x' };
  const { say, stored } = await slackDesk({}, { rule, alert });
  expect(await say('ack sales A &amp; B &lt;!here&gt;', { user_name: '<!everyone>' })).toMatch(/done/);
  expect((await stored()).acknowledged).toMatchObject({ by: '<!everyone>', reason: 'A & B <!here>' });
  const line = await say('list');
  expect(line.match(/<[^>]*>/g)).toEqual([
    expect.stringMatching(
      /^<https:\/\/watch\.example\.com\/alerts\/sales\?segment=[\w%+]+\|Sales &lt;!here&gt;/,
    ),
  ]);
  expect(line).toContain('acknowledged by &lt;!everyone&gt;');
  expect(line).not.toContain('\n');
});

test('a command that fails says so, and the log has the reason', async () => {
  const failures = [
    new UpstreamError('DynamoDB did not answer <1>', { retryable: true }),
    new TypeError('secret detail'),
  ];
  const loadAll = () => Promise.reject(failures.shift());
  const { say, logged } = await slackDesk({ silences: { loadAll, save: async () => {} } });
  expect(await say('list')).toBe(
    'The command failed: DynamoDB did not answer &lt;1&gt;. Check the current state before you try again.',
  );
  expect(await say('list')).toMatch(/^The command failed: the error is in the log/);
  expect(logged.map(({ message }) => message)).toEqual(Array(2).fill('a command of Slack failed'));
});

test('the response has the answer if Slack does not take it elsewhere', async () => {
  const { post, stored, logged } = await slackDesk({ isReached: false });
  const response = await post(typed('ack sales'));
  expect(await response.json()).toEqual({
    response_type: 'ephemeral',
    text: expect.stringContaining('Acknowledge: done.'),
  });
  expect((await stored()).acknowledged?.by).toBe('anna');
  expect(logged).toHaveLength(1);
});

describe('a request that Slack did not sign', () => {
  const body = typed('ack sales');
  it.each<[string, Record<string, string>]>([
    ['has no signature', {}],
    ['has a signature by another secret', signed(body, { secret: 'other' })],
    ['has the signature of another body', signed(`${body}&a=b`)],
    ['is six minutes old', signed(body, { at: NOW - 360_000 })],
    ['comes from the future', signed(body, { at: NOW + DAY_MS })],
  ])('is refused if it %s', async (_, headers) => {
    const { post, writes, logged } = await slackDesk();
    expect((await post(body, headers)).status).toBe(401);
    expect(writes).toEqual([]);
    expect(logged).toEqual([
      { message: expect.stringContaining('its signature is not valid'), fields: undefined },
    ]);
  });
});

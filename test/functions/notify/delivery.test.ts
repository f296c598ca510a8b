import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { createSlackChannel } from '../../../shared/channels/slack/channel.ts';
import type { Channel } from '../../../shared/messages/channel.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { ROUTING_KEY } from '../../contracts/receivers.ts';
import { NOW } from '../../contracts/samples.ts';
import { ruleNamed } from '../../fixtures/builders.ts';
import { channelTo } from '../../fixtures/channel-to.ts';
import { listen } from '../../fixtures/loopback-server.ts';
import { channelsNamed, createNotifier } from '../notifier.ts';

/** Alerts of these rules with "fired" pending, and a function that sweeps to `channel` once a minute. */
async function withPending(ruleIds: string[], channel: Channel) {
  // Each rule has its own app, so that they share no cause.
  const rules = ruleIds.map((id) => ruleNamed(id, { app: id }));
  const routes = { channels: channelsNamed('team'), default: ['team'] };
  const notifier = await createNotifier(rules, routes, { channels: { team: channel } });
  for (const rule of rules) await notifier.happens(rule, { transition: 'fired' });
  const sweep = async (minutes: number, before: (minute: number) => void) => {
    for (let minute = 0; minute < minutes; minute++) {
      before(minute);
      await notifier.sweep(minute === 0 ? 0 : 1 / 60);
    }
  };
  const pending = async () => (await notifier.alerts.loadPending(Number.MAX_SAFE_INTEGER)).length;
  return { sweep, pending, deliveries: notifier.deliveries };
}

type Answer = (response: ServerResponse) => void;

const replying =
  (status: number, body: string, headers = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Closes the connection after writing this part of a response. */
const cutAfter =
  (written: string): Answer =>
  ({ socket }) =>
    void socket?.end(written);

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n';
const OK = replying(200, 'ok');

/** `again`: the minutes until it is sent again; `null` if Slack confirmed it. */
const ANSWERS: { name: string; answer: Answer; again: number | null }[] = [
  { name: '200 "ok"', answer: OK, again: null },
  { name: '200 and another body', answer: replying(200, '<html>Sign in</html>'), again: 1 },
  { name: '400 invalid_blocks', answer: replying(400, 'invalid_blocks'), again: 60 },
  { name: '403 action_prohibited', answer: replying(403, 'action_prohibited'), again: 60 },
  { name: '404 no_service', answer: replying(404, 'no_service'), again: 60 },
  { name: '410 channel_is_archived', answer: replying(410, 'channel_is_archived'), again: 60 },
  { name: '429', answer: replying(429, 'rate_limited'), again: 1 },
  { name: '429 with Retry-After', answer: replying(429, '', { 'Retry-After': '300' }), again: 5 },
  { name: '500', answer: replying(500, 'rollup_error'), again: 1 },
  { name: '503 with Retry-After', answer: replying(503, '', { 'Retry-After': '600' }), again: 10 },
  { name: 'nothing', answer: () => {}, again: 1 },
  { name: 'by closing the connection', answer: cutAfter(''), again: 1 },
  { name: 'by closing it before the body', answer: cutAfter(HEAD), again: 1 },
  { name: 'by closing it within the body', answer: cutAfter(`${HEAD}o`), again: 1 },
  { name: 'by closing it after the body', answer: cutAfter(`${HEAD}ok`), again: null },
];

describe('a notification to Slack is sent until Slack confirms it, and then no more', () => {
  test.each(ANSWERS)('Slack answers $name', async ({ name, answer, again }) => {
    const requestedAt: number[] = [];
    let now = 0;
    await using slack = await listen((_request, _body, response) => {
      requestedAt.push(now);
      (requestedAt.length === 1 ? answer : OK)(response);
    });
    const channel = createSlackChannel({
      webhookUrl: `${slack.url}/services/xoxkey`,
      clock: new ManualClock(NOW),
      // Only silence ends by time. On a busy machine, the answer after it takes a while too.
      timeoutMs: name === 'nothing' ? 2_000 : 60_000,
    });
    const { sweep, pending, deliveries } = await withPending(['sales'], channel);
    await sweep(65, (minute) => {
      now = minute;
    });
    expect(requestedAt).toEqual(again === null ? [0] : [0, again]);
    expect(await pending()).toBe(0);
    const outcomes = (await deliveries.loadLast(10)).map(({ outcome }) => outcome.kind);
    expect(outcomes).toEqual(again === null ? ['sent'] : ['sent', 'failed']);
    expect(JSON.stringify(await deliveries.loadLast(10))).not.toContain('xoxkey');
  });

  test('a missing webhook is tried once an hour until it works', async () => {
    const requestedAt: number[] = [];
    let now = 0;
    await using slack = await listen((_request, _body, response) => {
      requestedAt.push(now);
      (now < 150 ? replying(404, 'no_service') : OK)(response);
    });
    const { sweep, pending } = await withPending(
      ['sales'],
      createSlackChannel({ webhookUrl: `${slack.url}/services/x`, clock: new ManualClock(NOW) }),
    );
    await sweep(240, (minute) => {
      now = minute;
    });
    expect(requestedAt).toEqual([0, 60, 120, 180]);
    expect(await pending()).toBe(0);
  });
});

test('only the events that PagerDuty has not accepted are sent again', async () => {
  const events: string[] = [];
  await using pagerDuty = await listen((_request, body, response) => {
    events.push(JSON.parse(body).dedup_key);
    response.writeHead(events.length === 2 ? 503 : 202).end();
  });
  const channel = channelTo(
    { pagerduty: { routing_key_secret: 'key' } },
    { secret: ROUTING_KEY, clock: new ManualClock(NOW), to: pagerDuty },
  );
  const { sweep, pending } = await withPending(['a', 'b', 'c'], channel);
  await sweep(10, () => {});
  expect(events).toEqual(['a#', 'b#', 'b#', 'c#']);
  expect(await pending()).toBe(0);
});

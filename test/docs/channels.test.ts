import { expect, test } from 'vitest';
import * as z from 'zod';
import { TRANSITION_NAMES } from '../../shared/alerts/transitions.ts';
import { channelSchema } from '../../shared/channels/kinds.ts';
import { publishedAlertSchema, webhookBodySchema } from '../../shared/channels/published-alert.ts';
import { LABELS } from '../../shared/messages/answer-text.ts';
import { incidentNews } from '../../shared/notifications/incident.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { SIGNING_SECRET } from '../contracts/receivers.ts';
import { NOW } from '../contracts/samples.ts';
import { channelTo } from '../fixtures/channel-to.ts';
import { listen } from '../fixtures/loopback-server.ts';
import { aMessage, anItem } from '../fixtures/messages.ts';
import { blocksIn, codeIn, documentAt, tableIn } from './documents.ts';

const page = documentAt('docs/how-to/channels.md');
const open = 'https://deltawatch.example.com/alerts/checkout-drop';

/** The alert in the examples. */
const item = anItem({
  key: 'checkout-drop#Germany#2026-03-03T00:00:00.000Z#fired-7#',
  segment: 'Germany',
  headline: 'Purchases in Germany down 42%',
  summary: '580 events on Mon 2 Mar 2026 (UTC), 1,000 before',
  links: {
    open,
    picture: {
      url: 'https://deltawatch.example.com/p/eyJhbGciOi...',
      alt: 'Purchases, Germany. 580 events on Mon 2 Mar 2026, 1,000 before',
    },
    answers: (['acknowledge', 'snooze-1h'] as const).map((answer) => ({
      answer,
      label: LABELS[answer],
      url: 'https://deltawatch.example.com/a/eyJhbGciOi...',
    })),
  },
});
const message = aMessage({
  text: 'Critical: Purchases in Germany down 42%',
  title: 'Purchases in Germany down 42%',
  items: [item],
  overviewUrl: 'https://deltawatch.example.com/',
});

const examples = blocksIn('json', [page]).map(({ text }) => JSON.parse(text));
const exampleWith = (...keys: string[]) =>
  examples.find((each) => keys.every((key) => Object.hasOwn(each, key)));

/** The webhook request for the alert. */
async function received(signingSecret = SIGNING_SECRET) {
  const posts: { headers: object; body: string }[] = [];
  await using server = await listen(({ headers }, body, response) => {
    posts.push({ headers, body });
    response.end();
  });
  const clock = new ManualClock(NOW);
  const config = { url_secret: 'url', signing_secret: 'key', allow_private: true };
  await channelTo({ webhook: config }, { secret: { url: server.url, key: signingSecret }, clock }).send(
    message,
  );
  return posts[0] ?? { headers: {}, body: '' };
}

test('channels.md shows the body of a webhook', async () => {
  const { body } = await received();
  expect(exampleWith('items')).toEqual(webhookBodySchema.parse(JSON.parse(body)));
});

test('the EventBridge pattern uses existing fields and values', () => {
  const pattern = exampleWith('detail-type');
  const { shape } = publishedAlertSchema;
  expect(pattern.source).toEqual(['deltawatch']);
  expect(TRANSITION_NAMES.map((each) => `Alert ${each}`)).toEqual(
    expect.arrayContaining(pattern['detail-type']),
  );
  for (const [field, values] of Object.entries(pattern.detail)) {
    const schema = z
      .object(shape)
      .keyof()
      .transform((name) => shape[name])
      .parse(field);
    for (const value of z.array(z.unknown()).parse(values)) schema.parse(value);
  }
});

test('the signature check accepts only valid signatures', async () => {
  const [code = ''] = blocksIn('js', [page]).map(({ text }) => text);
  const { isOurs } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const { headers, body } = await received();
  expect(isOurs(headers, body, SIGNING_SECRET, NOW)).toBe(true);
  expect(isOurs(headers, `${body} `, SIGNING_SECRET, NOW)).toBe(false);
  expect(isOurs(headers, body, 'whsec_b3RoZXI=', NOW)).toBe(false);
  expect(isOurs(headers, body, SIGNING_SECRET, NOW + 301_000)).toBe(false);
});

test('a signing key works with and without the prefix whsec_', async () => {
  const withIt = await received(SIGNING_SECRET);
  expect(await received(SIGNING_SECRET.replace('whsec_', ''))).toMatchObject({
    headers: { 'webhook-signature': Reflect.get(withIt.headers, 'webhook-signature') },
  });
  expect(Reflect.get(withIt.headers, 'webhook-signature')).toMatch(/^v1,/);
});

test('channels.md lists every key of every channel', () => {
  const keysListed = page.text.split(/^## /m).flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const table = /^\| key \|/m.test(section) ? tableIn({ ...page, text: section }, 'key') : [];
    return table.map(([key = '']) => [heading.toLowerCase().replace('.', ''), codeIn(key).join()]);
  });
  const kinds = channelSchema.def.in;
  const known = Object.entries(z.toJSONSchema(kinds, { io: 'input' }).properties ?? {}).flatMap(
    ([kind, schema]) =>
      Object.keys((typeof schema === 'object' && schema.properties) || {}).map((key) => [kind, key]),
  );
  expect(keysListed).toEqual(known);
});

test('channels.md lists the pager action of each message', () => {
  const listed = tableIn(page, 'message').flatMap(([messages = '', action, incident = '']) =>
    codeIn(messages).map((message) => [message, action, codeIn(incident).join()]),
  );
  const meant = TRANSITION_NAMES.map((transition) => {
    const news = incidentNews({ ruleId: 'rule', segment: 'segment', transition });
    return [transition, news?.action ?? 'nothing', news?.key ?? ''];
  });
  expect(listed.toSorted()).toEqual(meant.toSorted());
});

test('channels.md lists every field of an event', () => {
  const fields = tableIn(page, 'field').map(([field = '']) => codeIn(field).join());
  expect(fields).toEqual(Object.keys(publishedAlertSchema.shape));
});

import { describe, expect, test } from 'vitest';
import { createSnsChannel } from '../../../../shared/channels/sns/channel.ts';
import type { Message } from '../../../../shared/messages/message.ts';
import { startSnsServer } from '../../../contracts/sns-server.ts';
import { aMessage, anItem } from '../../../fixtures/messages.ts';

const ARN = 'arn:aws:sns:local:123456789012:alerts';

async function publish(message: Message, topicArn = ARN) {
  await using sns = await startSnsServer();
  const result = await createSnsChannel(sns.client, topicArn).send(message);
  return { result, published: sns.published };
}

test('a mail contains the headline, figures, runbook and links', async () => {
  const links = { open: 'https://deltawatch.example/a', picture: null, answers: [] };
  const message = aMessage({
    items: [anItem({ links, segment: 'Germany' })],
    overviewUrl: 'https://deltawatch.example',
  });
  const { published } = await publish(message);
  expect(published).toEqual([
    {
      topicArn: ARN,
      subject: 'Checkout dropped',
      message: `Checkout dropped: checkout_completed fell by 42% (1,000 to 580)

checkout_completed fell by 42%
Now: 580 events
Before: 1,000 events
What to do: https://wiki.example.com/checkout
Open: https://deltawatch.example/a
Rule: checkout-drop, Germany

All open alerts: https://deltawatch.example`,
      groupId: null,
      deduplicationId: null,
      attributes: {
        severity: ['String', 'critical'],
        transition: ['String.Array', '["fired"]'],
        app: ['String.Array', '["shop"]'],
      },
    },
  ]);
});

test('a subscription can filter by every app and transition of a digest', async () => {
  const items = [anItem(), anItem({ app: 'web', transition: 'recovered' }), anItem({ app: null })];
  const { published } = await publish(aMessage({ items }));
  expect(published[0]?.attributes).toMatchObject({
    app: ['String.Array', '["shop","web"]'],
    transition: ['String.Array', '["fired","recovered"]'],
  });
});

test('a FIFO topic gets a group and a deduplication id per set of alerts', async () => {
  const [a, b] = [anItem({ key: 'a' }), anItem({ key: 'b' })];
  const ids = [];
  for (const items of [[a, b], [b, a], [a]]) {
    const { published } = await publish(aMessage({ items }), `${ARN}.fifo`);
    expect(published[0]?.groupId).toBe('deltawatch');
    ids.push(published[0]?.deduplicationId);
  }
  expect(ids[0]).toBe(ids[1]);
  expect(ids[0]).not.toBe(ids[2]);
});

describe('an error of SNS becomes a refusal', () => {
  test.each([
    ['AuthorizationError', 403, true],
    ['NotFound', 404, true],
    ['InvalidParameter', 400, true],
    ['Throttled', 429, false],
    ['KMSThrottling', 400, false],
    ['InternalError', 500, false],
    ['ServiceUnavailable', 503, false],
  ])('%s', async (code, status, permanent) => {
    await using sns = await startSnsServer();
    sns.troubles.push({ status, code });
    const result = await createSnsChannel(sns.client, ARN).send(aMessage());
    expect(result).toEqual({ kind: 'refused', permanent, reason: expect.stringContaining('SNS refused') });
  });
});

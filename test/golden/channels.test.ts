import { describe, expect, test } from 'vitest';
import { testMessage } from '../../functions/notify/test-notifications.ts';
import { discordMessage } from '../../shared/channels/discord/channel.ts';
import { googleChatMessage } from '../../shared/channels/googlechat/channel.ts';
import { mattermostPost } from '../../shared/channels/mattermost/channel.ts';
import { teamsMessage } from '../../shared/channels/teams/channel.ts';
import { digestMessage } from '../../shared/messages/digest-message.ts';
import { newTestNotification } from '../../shared/notifications/test-notification.ts';
import { drivenBy } from '../fixtures/builders.ts';
import { EMPTY, FULL } from '../fixtures/digests.ts';
import { lifeOf, QUIET } from '../fixtures/life.ts';
import { rendered } from './rendered.ts';
import { renderedBy, renderedHtml, renderedMail } from './rendered-channels.ts';
import { PAGERS, requestsTo } from './rendered-pagers.ts';
import { fell, found, pendingFor, purchases, sales, sent, shopRule, TUESDAY_3_AM } from './situations.ts';

const drivers = drivenBy({ device_platform: 'android', app_version: '5.2.0' });
const failed = {
  kind: 'failed' as const,
  reason: {
    code: 'read-failed' as const,
    error: 'the data access service did not answer within 30 seconds',
  },
  progressed: false,
};
const byCountry = shopRule({ title: 'Purchases, by country', group_by: 'device_country' });
const digest = Array.from({ length: 12 }, (_, i) =>
  pendingFor(byCountry, 'fired', found(byCountry, { current: 500 - 10 * i, baseline: 1000 }), {
    segment: `Country ${i + 1}`,
  }),
);
const broken = Array.from({ length: 5 }, () => failed).reduce(
  (life, outcome) => life.run(outcome),
  lifeOf(sales()),
);

const DIGESTS = {
  'digest of a week': async () => digestMessage(FULL, 'team'),
  'digest without a fire': async () => digestMessage(EMPTY, 'team'),
};

const SITUATIONS = {
  fired: () => sent([pendingFor(purchases, 'fired', fell, { drivers })]),
  recovered: () =>
    sent([
      lifeOf(sales())
        .days([...QUIET, 300, 310, 990, 1010])
        .pending(),
    ]),
  digest: () => sent(digest),
  'cannot be evaluated': () => sent([broken.pending()]),
  test: async () =>
    testMessage(
      newTestNotification({ id: 'one', channels: ['pager'], by: 'Anna', at: TUESDAY_3_AM }),
      'pager',
    ),
  ...DIGESTS,
};

const CHANNELS = {
  'mail.txt': renderedMail,
  'mail.html': renderedHtml,
  'teams.json': renderedBy(teamsMessage),
  'discord.json': renderedBy(discordMessage),
  'mattermost.json': renderedBy(mattermostPost),
  'googlechat.json': renderedBy(googleChatMessage),
};

describe.each(Object.entries(CHANNELS))('%s', (channel, render) => {
  test.each(Object.entries(SITUATIONS))('%s', async (name, messageOf) => {
    const [kind, type] = channel.split('.');
    const file = `channels/${kind}-${name.replaceAll(' ', '-')}.${type}`;
    await expect(render(await messageOf())).toMatchFileSnapshot(file);
  });
});

/** What opens, acknowledges and closes an incident. */
const EVENTS = {
  fired: SITUATIONS.fired,
  acknowledged: () => sent([pendingFor(purchases, 'acknowledged', fell, { drivers })]),
  recovered: SITUATIONS.recovered,
  'cannot be evaluated': SITUATIONS['cannot be evaluated'],
  test: SITUATIONS.test,
};

describe.each(Object.keys(PAGERS))('requests to %s', (pager) => {
  test.each(Object.entries(EVENTS))('%s', async (name, messageOf) => {
    const file = `channels/${pager}-${name.replaceAll(' ', '-')}.txt`;
    await expect(await requestsTo(pager, await messageOf())).toMatchFileSnapshot(file);
  });
});

test.each(Object.entries(DIGESTS))('slack.txt > %s', async (name, messageOf) => {
  await expect(rendered(await messageOf())).toMatchFileSnapshot(`${name.replaceAll(' ', '-')}.txt`);
});

import { expect, test } from 'vitest';
import { type MessageItem, messageOf } from '../../../../shared/messages/message.ts';
import { JiraSite, type Status } from '../../../contracts/jira-site.ts';
import { JIRA, JIRA_TOKEN } from '../../../contracts/pager-receivers.ts';
import { channelTo } from '../../../fixtures/channel-to.ts';
import { listen } from '../../../fixtures/loopback-server.ts';
import { anItem } from '../../../fixtures/messages.ts';

/** A site, and `send`, which gives each item the receipt of the alert's last message, as the table does. */
async function jira({
  workflow,
  ...options
}: {
  workflow?: Status[];
  secret?: string;
  stage?: string;
  config?: object;
} = {}) {
  const site = new JiraSite(JIRA_TOKEN, workflow);
  const lost: string[] = [];
  const server = await listen((request, body, response) => {
    const { answer } = site.answer(request, body);
    if (lost.includes(site.calls.at(-1) ?? '')) return void request.socket.destroy();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const to = server;
  let receipt: MessageItem['receipt'] = null;
  return {
    site,
    /** Calls whose answers are lost. */
    lost,
    async send(items: Partial<MessageItem>[], { stage = 'production' } = {}) {
      const { secret = JIRA_TOKEN, config } = options;
      const channel = channelTo({ jira: { ...JIRA, ...config } }, { secret, to, stage });
      const given = items.map((item, turn) => anItem({ key: `key ${turn}`, turn, receipt, ...item }));
      const result = await channel.send(messageOf(given));
      receipt = [...(result.receipts?.values() ?? [])].at(-1) ?? receipt;
      return result;
    },
    forget: () => {
      receipt = null;
    },
    statuses: () => site.issues.map(({ status, comments }) => [status, comments.length]),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const FIRED = { transition: 'fired', headline: 'Purchases down 41%', receipt: null } as const;
const ENDED = { transition: 'recovered', headline: 'Recovered: Purchases' } as const;

test('an alert is one issue: opened, commented and done', async () => {
  await using jiras = await jira();
  expect(await jiras.send([FIRED])).toMatchObject({ kind: 'sent' });
  expect(await jiras.send([{ transition: 'acknowledged', headline: 'Anna acknowledged' }])).toMatchObject({
    kind: 'sent',
  });
  expect(jiras.statuses()).toEqual([['To do', 1]]);
  expect(await jiras.send([ENDED])).toMatchObject({ kind: 'sent' });
  expect(jiras.site.issues).toMatchObject([
    {
      summary: 'Purchases down 41%',
      labels: ['deltawatch', 'critical', expect.stringMatching(/^deltawatch-/)],
      status: 'Done',
      comments: [
        expect.stringContaining('Anna acknowledged'),
        expect.stringContaining('Recovered: Purchases'),
      ],
    },
  ]);
  await jiras.send([FIRED]);
  expect(jiras.statuses()).toEqual([
    ['Done', 2],
    ['To do', 0],
  ]);
});

test('a reminder is no comment, and counts as sent', async () => {
  await using jiras = await jira();
  expect(await jiras.send([{ transition: 'reminded' }])).toEqual({ kind: 'sent' });
  expect(jiras.site.calls).toEqual([]);
});

test('an issue whose answer was lost is not created again', async () => {
  await using jiras = await jira();
  jiras.lost.push('POST issue');
  expect(await jiras.send([FIRED])).toMatchObject({ kind: 'refused', permanent: false });
  jiras.lost.length = 0;
  jiras.site.index();
  expect(await jiras.send([FIRED])).toMatchObject({ kind: 'sent' });
  expect(jiras.statuses()).toEqual([['To do', 1]]);
});

test('an end without a receipt finds its issue by the label', async () => {
  await using jiras = await jira();
  await jiras.send([FIRED]);
  jiras.site.index();
  jiras.forget();
  await jiras.send([ENDED]);
  expect(jiras.statuses()).toEqual([['Done', 1]]);
});

test('a fire right after an end gets a new issue, although the search is late', async () => {
  await using jiras = await jira();
  await jiras.send([FIRED]);
  jiras.site.index();
  await jiras.send([ENDED]);
  await jiras.send([FIRED]);
  expect(jiras.statuses()).toEqual([
    ['Done', 1],
    ['To do', 0],
  ]);
});

test('news of one message stays in one issue, although the search is late', async () => {
  await using jiras = await jira();
  await jiras.send([FIRED, { ...ENDED, receipt: null }]);
  expect(jiras.statuses()).toEqual([['Done', 1]]);
});

test('a lost comment is sent again, and the issue is moved once', async () => {
  await using jiras = await jira();
  await jiras.send([FIRED]);
  jiras.lost.push('POST issue/10000/comment');
  expect(await jiras.send([ENDED])).toMatchObject({ kind: 'refused', permanent: false });
  jiras.lost.length = 0;
  expect(await jiras.send([ENDED])).toMatchObject({ kind: 'sent' });
  expect(jiras.site.calls.filter((call) => call.endsWith('transitions'))).toHaveLength(1);
});

test('stages do not share issues', async () => {
  await using jiras = await jira();
  await jiras.send([FIRED]);
  jiras.site.index();
  jiras.forget();
  await jiras.send([ENDED], { stage: 'staging' });
  expect(jiras.statuses()).toEqual([['To do', 0]]);
});

test('an issue that somebody deleted or closed is left alone', async () => {
  await using jiras = await jira();
  await jiras.send([FIRED]);
  const [issue] = jiras.site.issues.splice(0);
  expect(await jiras.send([ENDED])).toMatchObject({ kind: 'sent' });
  jiras.site.issues.push({ ...(issue as NonNullable<typeof issue>), status: 'Done' });
  await jiras.send([ENDED]);
  expect(jiras.statuses()).toEqual([['Done', 1]]);
});

const CANCELED: Status = { name: 'Canceled', category: 'done' };
const RESOLVED: Status = { name: 'Resolved', category: 'done' };
const OPEN: Status = { name: 'Open', category: 'new' };

test.each<{ workflow: Status[]; config?: object; status: string; says?: string }>([
  { workflow: [OPEN, CANCELED, RESOLVED], status: 'Canceled' },
  { workflow: [OPEN, CANCELED, RESOLVED], config: { done_status: 'Resolved' }, status: 'Resolved' },
  {
    workflow: [OPEN],
    status: 'Open',
    says: 'by hand: its workflow does not let Deltawatch move it to a status that is done',
  },
  {
    workflow: [OPEN, CANCELED],
    config: { done_status: 'Resolved' },
    status: 'Open',
    says: 'move it to Resolved',
  },
  { workflow: [OPEN, { ...RESOLVED, needsFields: true }], status: 'Open', says: 'Close this issue by hand' },
])(
  'the end moves an issue to $status: $workflow $config',
  async ({ workflow, config = {}, status, says }) => {
    await using jiras = await jira({ workflow, config });
    await jiras.send([FIRED]);
    expect(await jiras.send([ENDED])).toMatchObject({ kind: 'sent' });
    const [issue] = jiras.site.issues;
    expect(issue).toMatchObject({ status, comments: [expect.stringContaining(says ?? 'Recovered')] });
    if (!says) expect(issue?.comments.join()).not.toContain('by hand');
  },
);

test('a wrong token is refused, although Jira answers as if nobody had logged in', async () => {
  await using jiras = await jira({ secret: 'anna@example.com:expired' });
  const reason = 'Jira refused the API token (200): check its secret';
  expect(await jiras.send([ENDED])).toMatchObject({ kind: 'refused', permanent: true, reason });
});

test.each([
  {
    config: { project: 'GONE' },
    reason: 'Jira refused the message (400, project): check the channel in the routes',
  },
  { config: { issue_type: 'Bug' }, reason: 'Jira refused the message (400, issuetype)' },
])('a refused issue names its fields: $config', async ({ config, reason }) => {
  await using jiras = await jira({ config });
  const refused = { kind: 'refused', permanent: true, reason: expect.stringContaining(reason) };
  expect(await jiras.send([FIRED])).toMatchObject(refused);
});

test('a token with a line break inside is refused without being quoted', async () => {
  await using jiras = await jira({ secret: 'anna@example.com:xox\nkey' });
  const error = await jiras.send([FIRED]).catch((thrown: unknown) => String(thrown));
  expect(error).toContain('the Jira API token is not one word; check its secret');
  expect(error).not.toContain('xox');
});

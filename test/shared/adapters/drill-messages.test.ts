import { expect, test } from 'vitest';
import { pagerDutyEvent } from '../../../shared/adapters/pagerduty-event.ts';
import { publishedAlert, publishedAlertSchema } from '../../../shared/adapters/published-alert.ts';
import { slackBlocks } from '../../../shared/adapters/slack-blocks.ts';
import { createSnsChannel } from '../../../shared/adapters/sns-channel.ts';
import { callDrill } from '../../../shared/alerting/drill-debts.ts';
import { incidentNews } from '../../../shared/alerting/incident.ts';
import { messageFor } from '../../../shared/alerting/message.ts';
import type { Severity } from '../../../shared/alerting/rule.ts';
import { startSnsServer } from '../../contracts/sns-server.ts';
import { HOUR, MONDAY } from '../../fixtures/builders.ts';
import { anItem } from '../../fixtures/messages.ts';

function drill(severity: Severity = 'info') {
  const about = { route: 'checkout', channels: ['pager'], by: 'Anna', reason: 'new pager', severity };
  const alert = callDrill(undefined, { ...about, at: MONDAY + HOUR });
  const message = messageFor(
    Object.entries(alert.owed).map(([key, debt]) => ({ key, alert, debt, rule: undefined })),
  );
  const [item = anItem()] = message.items;
  return { message, item, news: incidentNews(item) };
}

test('a pager is told of an incident of its own, which says that nothing is wrong, as information', () => {
  const { item, news } = drill();
  expect(news && pagerDutyEvent(item, news)).toMatchObject({
    event_action: 'trigger',
    dedup_key: 'drill:checkout#',
    payload: {
      summary: 'Fire drill: nothing is wrong',
      severity: 'info',
      class: 'drill',
      custom_details: { 'Called by': 'Anna, Mon 2 Mar 2026, 01:00 (UTC)', Why: 'new pager' },
    },
  });
});

test('it is as grave as was asked for, and nowhere called so', () => {
  const { item, message } = drill('critical');
  expect(item.severity).toBe('critical');
  expect(JSON.stringify(slackBlocks(message))).not.toMatch(/critical|🔴/i);
});

test('programs are told that it is a drill, and of nothing else', () => {
  expect(publishedAlertSchema.parse(publishedAlert(drill().item))).toMatchObject({
    drill: true,
    transition: 'drill',
  });
  expect(publishedAlert(anItem())).not.toHaveProperty('drill');
});

test('a mail says what it is in its subject, and names no rule', async () => {
  await using sns = await startSnsServer();
  await createSnsChannel(sns.client, 'arn:aws:sns:local:123456789012:alerts').send(drill().message);
  const [{ subject, message } = { subject: '', message: 'Rule:' }] = sns.published;
  expect(subject).toBe('Fire drill: nothing is wrong');
  expect(message).not.toContain('Rule:');
});

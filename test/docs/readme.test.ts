import { expect, test } from 'vitest';
import { buildRuleSet } from '../../shared/adapters/rule-files/yaml-rule-files.ts';
import { newAlert } from '../../shared/alerting/alerts/alert.ts';
import { evaluate } from '../../shared/alerting/evaluation/evaluate.ts';
import { messageFor } from '../../shared/alerting/messages/message.ts';
import { queueNotification } from '../../shared/alerting/notifications/pending-notifications.ts';
import { DAY, HOUR, ROUTES, value } from '../fixtures/builders.ts';
import { rendered } from '../golden/rendered.ts';
import { blocksIn, documentAt } from './documents.ts';

const readme = documentAt('README.md');

test('README.md shows a rule and the message that it sends', async () => {
  const [shownRule] = blocksIn('yaml', [readme]);
  const files = new Map([
    ['growth.yaml', shownRule?.text ?? ''],
    ['routes.yaml', JSON.stringify(ROUTES)],
  ]);
  const loaded = buildRuleSet('rules', files);
  const rule = loaded.kind === 'loaded' && loaded.ruleSet.rules[0];
  if (!rule || rule.members) throw new Error('the README has no rule with figures');
  const friday = Date.UTC(2026, 9, 22, 22);
  const day = (daysBack: number, newUsers: number) => {
    const startAt = friday - daysBack * DAY;
    return { window: { startAt, endAt: startAt + DAY }, reading: value(newUsers) };
  };
  const normal = (daysBack: number) => 130 + ((daysBack * 37) % 41);
  const evaluation = evaluate(rule, {
    current: day(0, 28),
    baseline: { ...day(7, 132), origin: { of: 'window' } },
    surprise: undefined,
    knownSinceAt: null,
    newSinceAt: null,
    isTooNew: false,
    holiday: null,
    previous: value(136),
    past: Array.from({ length: 21 }, (_, i) => ({
      current: day(i + 1, normal(i + 1)),
      baseline: day(i + 8, normal(i + 8)),
    })),
    newestDataAt: friday + DAY + HOUR,
    fired: null,
  });
  expect(evaluation.verdict).toBe('breached');

  const scheduledAt = friday + DAY + 1.5 * HOUR;
  const alert = queueNotification(
    newAlert({ ruleId: rule.id, segment: null }, 'meaning', friday),
    rule,
    ROUTES,
    {
      transition: 'fired',
      reason: { code: 'evaluation' },
      windowEndAt: friday + DAY,
      evaluation,
      firedWindowEndAt: null,
      tick: { id: 'tick', scheduledAt },
    },
  );
  const pending = Object.entries(alert.pending).map(([key, notification]) => ({
    key,
    alert,
    notification,
    rule,
  }));
  const [shown] = blocksIn('text', [readme]);
  expect(wordsOf(shown?.text ?? '')).toBe(wordsOf(inChannel(rendered(messageFor(pending)))));
});

/** A rendered message without the notification line of phones. */
function inChannel(text: string): string {
  return text.split('-----\n')[1] ?? '';
}

function wordsOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

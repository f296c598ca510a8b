import { describe, expect, it } from 'vitest';
import { signedLinks } from '../../../shared/access/signed-links.ts';
import type { Alert, Notification } from '../../../shared/alerts/alert.ts';
import { advanceApp, newAppAlert } from '../../../shared/alerts/app-alert.ts';
import { advance } from '../../../shared/alerts/lifecycle.ts';
import type { Transition } from '../../../shared/alerts/transitions.ts';
import { messageLinks } from '../../../shared/messages/message-links.ts';
import type { PendingNotification } from '../../../shared/notifications/pending.ts';
import type { Rule } from '../../../shared/rules/rule.ts';
import { ManualClock } from '../../../shared/runtime/clock.ts';
import { DAY_MS } from '../../../shared/units/durations.ts';
import { aNotification } from '../../contracts/samples.ts';
import { alertOf, breached, dayAt, evaluationOf, MONDAY, ruleNamed } from '../../fixtures/builders.ts';

const clock = new ManualClock(MONDAY + DAY_MS);
const signer = signedLinks(async () => 'k'.repeat(43), clock);
const links = messageLinks(signer, 'https://watch.example.com/');

const RULE = ruleNamed('sales', { recover_after: '1 of 1', group_by: 'device_country' });
const fired: Alert = { ...advance(alertOf(RULE), breached(0), RULE).alert, segment: 'Malta' };

function pending(
  transition: Transition,
  overrides: Partial<Notification> = {},
  alert = fired,
  rule?: Rule,
): PendingNotification {
  const about = { evaluation: breached(0), windowEndAt: MONDAY + DAY_MS, firedWindowEndAt: MONDAY + DAY_MS };
  const notification = aNotification({ transition, channel: 'team', ...about, ...overrides });
  return { key: 'key', alert, notification, rule: rule ?? RULE };
}

const tokenIn = (url: string) => url.slice(url.lastIndexOf('/') + 1).replace('.png', '');

describe('the links of a message', () => {
  it('open the alert, show its picture, and answer it', async () => {
    const { open, picture, answers } = await links.linksFor(pending('fired'));
    expect(links.overviewUrl).toBe('https://watch.example.com/');
    expect(open).toBe('https://watch.example.com/alerts/sales?segment=Malta');
    expect(await signer.verify('picture', tokenIn(picture?.url ?? ''))).toMatchObject({
      claims: { ruleId: 'sales', segment: 'Malta', throughAt: MONDAY + DAY_MS },
    });
    expect(picture?.alt).toContain('breached');
    expect(answers.map(({ label }) => label)).toEqual([
      ...['Acknowledge', 'Snooze 1 h', 'Snooze 1 day', 'Snooze 1 week', 'Snooze until it recovers'],
      ...['Accept the new level', 'Mark as a holiday', 'Mark as an incident'],
    ]);
    for (const { answer, url } of answers) {
      expect(url.startsWith('https://watch.example.com/a/')).toBe(true);
      expect(await signer.verify('answer', tokenIn(url))).toMatchObject({
        claims: { answer, ruleId: 'sales', segment: 'Malta', firedWindowEndAt: MONDAY + DAY_MS },
      });
    }
  });

  it('stay in a message that an acknowledgement updates, without the acknowledgement', async () => {
    const acknowledged = { ...fired, acknowledged: { by: 'Anna', at: MONDAY, reason: '' } };
    const receipt = { conversation: 'C1', message: '1.0' };
    const sent = [
      { transition: 'fired' as const, channel: 'team', windowEndAt: MONDAY, sentAt: MONDAY, receipt },
    ];
    const namesOf = async (alert: Alert) =>
      (await links.linksFor(pending('acknowledged', {}, alert))).answers.map(({ answer }) => answer);
    expect(await namesOf(acknowledged)).toEqual([]);
    expect(await namesOf({ ...acknowledged, sent })).toEqual(expect.arrayContaining(['snooze-1h', 'accept']));
    expect(await namesOf({ ...acknowledged, sent })).not.toContain('acknowledge');
  });

  it('share an id across channels and attempts, but not across messages', async () => {
    const idOf = async (each: PendingNotification) => {
      const { answers } = await links.linksFor(each);
      const verified = await signer.verify('answer', tokenIn(answers.at(-1)?.url ?? ''));
      return verified.kind === 'valid' ? verified.id : undefined;
    };
    const first = await idOf(pending('fired'));
    expect(await idOf(pending('fired', { channel: 'oncall', attempts: 2 }))).toBe(first);
    const others = [
      pending('reminded', { reminder: 1 }),
      pending('reminded', { reminder: 2 }),
      pending('fired', {}, { ...fired, segment: 'Cyprus' }),
    ];
    const ids = [first, ...(await Promise.all(others.map(idOf)))];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each<[string, Partial<Notification>, number]>([
    ['of the window that fired, in a later reminder', { firedWindowEndAt: MONDAY + DAY_MS }, MONDAY + DAY_MS],
    ['of its own window if that fired', { firedWindowEndAt: null }, MONDAY + 3 * DAY_MS],
  ])('answer the fire %s', async (_, overrides, firedWindowEndAt) => {
    const { answers } = await links.linksFor(
      pending('reminded', { windowEndAt: MONDAY + 3 * DAY_MS, ...overrides }),
    );
    expect(await signer.verify('answer', tokenIn(answers[0]?.url ?? ''))).toMatchObject({
      claims: { firedWindowEndAt },
    });
  });

  const recovered = advance(fired, evaluationOf(1), RULE).alert;
  const taken = { ...fired, acknowledged: { by: 'Anna', at: MONDAY, reason: '' } };
  it.each<[string, PendingNotification, number]>([
    ['a fire', pending('fired'), 8],
    ['a reminder', pending('reminded', { reminder: 1 }), 8],
    ['an acknowledged fire', pending('fired', {}, taken), 7],
    ['a fire that has ended', pending('fired', {}, recovered), 0],
    ['a recovery', pending('recovered', { evaluation: evaluationOf(1) }, recovered), 0],
    ['an acknowledgement', pending('acknowledged', {}, taken), 0],
    ['a failing rule', pending('failing', { evaluation: null, firedWindowEndAt: null }), 0],
  ])('of %s offer the possible answers', async (_, each, count) => {
    const { answers, open } = await links.linksFor(each);
    expect(answers).toHaveLength(count);
    expect(open).toContain('/alerts/sales');
  });

  it('of an app that stopped offer its answers without a picture', async () => {
    const seen = { scheduledAt: MONDAY + DAY_MS, newestDataAt: MONDAY, overdueBeforeAt: dayAt(0).endAt };
    const { alert } = advanceApp(newAppAlert('demo'), seen);
    const notification = aNotification({
      transition: 'stopped',
      windowEndAt: MONDAY + DAY_MS,
      evaluation: null,
    });
    const { picture, answers } = await links.linksFor({ key: 'key', alert, notification, rule: undefined });
    expect(picture).toBeNull();
    expect(answers).toHaveLength(5);
    expect(await signer.verify('answer', tokenIn(answers[0]?.url ?? ''))).toMatchObject({
      claims: { ruleId: 'app:demo', segment: null, firedWindowEndAt: MONDAY + DAY_MS },
    });
  });

  it('of a segment with a very long name only open the page', async () => {
    const long = pending('fired', {}, { ...fired, segment: '道'.repeat(67) });
    const { open, picture, answers } = await links.linksFor(long);
    expect({ open, picture, answers }).toEqual({
      ...{ open: 'https://watch.example.com/alerts/sales', picture: null, answers: [] },
    });
    const least = await links.linksFor(pending('fired', {}, { ...fired, segment: '道'.repeat(66) }));
    expect(least.answers).toHaveLength(8);
  });
});

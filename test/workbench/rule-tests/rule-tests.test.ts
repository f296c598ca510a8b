import { describe, expect, test } from 'vitest';
import { failing } from './example-rules.ts';

/** The failures of one test that starts on a Monday. */
const one = (keys: string) =>
  failing(
    `defaults: { starts: 2026-01-05 }\ntests:\n  - name: a\n${keys.trim().replaceAll(/^/gm, '    ')}\n`,
  );

describe('a test passes', () => {
  test.each([
    [
      'with all keys of an alert',
      `series: [{ event: purchase, values: 1000*35 400 }]
alerts: [{ fired: purchases, window: 2026-02-09, at: 2026-02-10 01:00, current: 400, baseline: 1000, change: -60%, difference: -600, reason: change below -40% }]`,
    ],
    [
      'with "0x56" as 57 zeros, not as a hexadecimal number',
      'series: [{ event: purchase, values: 0x56 }]\nquiet: true',
    ],
    [
      'of one of two rules that differ in their filters',
      `series:
  - { event: purchase, values: 1000*36 }
  - event: purchase
    filters: [{ attribute: device_platform, operator: equal, value: ios }]
    values: 500*35 100
alerts: [{ fired: purchases-on-ios, current: 100 }]`,
    ],
    [
      'of a rule with filters that it names',
      'rules: [refunds-on-ios]\nseries: [{ event: refund, values: 1000*35 1600 }]\nalerts: [{ fired: refunds-on-ios }]',
    ],
    [
      'of one of two segments',
      `series:
  - { event: search, segment: DE, values: 1000*36 }
  - { event: search, segment: AT, values: 500*35 100 }
alerts: [{ fired: searches, segment: AT }]`,
    ],
    [
      'of two alerts, the vague one first',
      `series:
  - { event: search, segment: AT, values: 900*35 0 }
  - { event: search, segment: DE, values: 900*35 0 }
alerts: [{ fired: searches, current: 0 }, { fired: searches, segment: AT }]`,
    ],
    [
      'of two alerts, the specific one first',
      `series:
  - { event: search, segment: AT, values: 900*35 0 }
  - { event: search, segment: DE, values: 900*35 0 }
alerts: [{ fired: searches, segment: DE }, { fired: searches, current: 0 }]`,
    ],
    [
      'of a quiet rule through a composite rule',
      `series:
  - { event: view, values: 9000*35 900 }
  - { event: purchase, values: 1000*35 400 }
rules: [fewer-of-both]
alerts: [{ fired: purchases }, { fired: fewer-of-both }]`,
    ],
    [
      'with a revision that retracts the alert',
      `series:
  - event: purchase
    values: 1000*35 400 1000
    revisions: [{ window: 2026-02-09, value: 990, seen: 2026-02-10 12:00 }]
alerts:
  - { fired: purchases, current: 400 }
  - { retracted: purchases, at: 2026-02-11, current: 990 }`,
    ],
    [
      'of a count without a row, which is zero',
      'series: [{ event: purchase, values: 1000*35 _ }]\nalerts: [{ fired: purchases, current: 0 }]',
    ],
    [
      'of a mean without a row, which is no data',
      'series: [{ metric: rage_gestures_per_session, values: 0.2*35 _ _ _, weight: 5000 }]\nalerts: [{ no-data: rage, at: 2026-02-12 }]',
    ],
    [
      'of messages per channel after a mute calendar ends',
      `series: [{ metric: rage_gestures_per_session, values: 0.2*35 0.6, weight: 5000 }]
messages:
  - { channel: shop, at: 2026-02-10 08:00, contains: 0.6 rage gestures per session }
  - { channel: boss, at: 2026-02-10 08:00, items: 1, severity: warning }`,
    ],
    [
      'of reminders until the last run',
      `series: [{ event: visit, values: 1000*35 400 400 }]
rules: [visits]
alerts: [{ fired: visits }, { reminded: visits, at: 2026-02-10 05:00 }, { reminded: visits, at: 2026-02-10 13:00 }]`,
    ],
    [
      'with a silence that delays the alert',
      `series: [{ event: purchase, values: 1000*35 400*3 }]
silences: [{ match: { rule: purch* }, from: 2026-02-10, until: 2026-02-11 15:30 }]
alerts: [{ fired: purchases, at: 2026-02-11 15:30 }]`,
    ],
    [
      'of a rule with a longer "settle"',
      'series: [{ metric: gestures, values: 500*48 0 }]\nalerts: [{ fired: gestures-late, window: 2026-01-07 00:00, at: 2026-01-07 04:20 }]',
    ],
    [
      'of the first of two repeated hours',
      `rules: [gestures]
starts: 2026-10-25
series: [{ metric: gestures, values: 500*2 9500 }]
alerts: [{ fired: gestures, window: 2026-10-25 02:00 }]`,
    ],
  ])('%s', async (_, keys) => {
    expect(await one(keys)).toBe('');
  });
});

/** Whether each value, after a thousand per day, matches the expected change. */
describe('a change is compared to the decimals that are written', () => {
  test.each([
    ['-100%', 6, false],
    ['-50%', 504, true],
    ['-50%', 506, false],
    ['-50.0%', 504, false],
    ['200%', 3000, true],
  ])('%s of %d', async (change, value, isSo) => {
    const rule = change.startsWith('-') ? 'purchases' : 'rises';
    const event = rule === 'rises' ? 'signup' : 'purchase';
    const why = await one(
      `series: [{ event: ${event}, values: 1000*35 ${value} }]\nalerts: [{ fired: ${rule}, change: ${change} }]`,
    );
    expect(why).toEqual(isSo ? '' : expect.stringContaining(`- fired ${rule}, change ${change}`));
  });
});

describe('a failed test shows', () => {
  test.each([
    [
      'a bound that was not reached',
      'series: [{ event: purchase, values: 1000*35 620 }]\nalerts: [{ fired: purchases, window: 2026-02-09 }]',
      [
        '- fired purchases, window 2026-02-09',
        'purchases, Mon 9 Feb 2026 (Europe/Berlin): clear',
        'FAILED threshold: 620 compared with 1,000 (-38%) does not cross the threshold (change below -40%)',
      ],
    ],
    [
      'one breach of the two needed',
      'rules: [sessions]\nseries: [{ metric: sessions, values: 100*340 20 }]\nalerts: [{ fired: sessions }]',
      [': breached', 'it breaches, but the rule fires after 2 of 2'],
    ],
    [
      'a quiet rule',
      'series: [{ event: view, values: 1000*35 400 }]\nalerts: [{ fired: views }]',
      ['it fires without notifying: the rule is quiet'],
    ],
    [
      'an alert that fires and ends in the same run',
      `rules: [on-weekdays]
series: [{ event: visit, values: 1000*32 100 1000 1000 }]
alerts: [{ fired: on-weekdays }, { fired: on-weekdays, window: 2026-02-06 }]`,
      ['on-weekdays, Fri 6 Feb 2026 (Europe/Berlin): breached', 'ends in the same run'],
    ],
    [
      'a silence',
      `series: [{ metric: rage_gestures_per_session, values: 0.2*35 0.6, weight: 5000 }]
silences: [{ match: { rule: rage }, from: 2026-02-10, until: 2026-03-01 }]
alerts: [{ fired: rage }]`,
      ['it fires, but', 'is muted until the test ends'],
    ],
    [
      'a different time',
      'series: [{ event: purchase, values: 1000*35 400 }]\nalerts: [{ fired: purchases, window: 2026-02-09, at: 2026-02-10 07:00 }]',
      [
        '- fired purchases, window 2026-02-09, at 2026-02-10 07:00',
        '+ fired purchases, window 2026-02-09, at 2026-02-10 01:00: 400 against 1,000 (-60%)',
        'purchases did not evaluate this window',
      ],
    ],
    [
      'a window that was not evaluated',
      'series: [{ event: purchase, values: 1000*35 400 }]\nalerts: [{ fired: purchases }, { recovered: purchases, window: 2026-02-11 }]',
      [
        'purchases did not evaluate this window; it evaluated those from 2026-01-06 00:00 to 2026-02-09 00:00',
      ],
    ],
    [
      'an alert that still fires',
      'series: [{ event: purchase, values: 1000*35 400 700 700 }]\nalerts: [{ fired: purchases }, { recovered: purchases }]',
      ['it still fires: it has not met its recovery bounds: 700 compared with 1,000 (-30%)'],
    ],
    [
      'a segment that does not exist',
      `series: [{ event: search, segment: DE, values: 1000*36 }]\nalerts: [{ fired: searches, segment: CH }]`,
      ['searches did not evaluate the segment "CH"; it evaluated DE'],
    ],
    [
      'an app that still sends data',
      'series: [{ event: purchase, values: 1000*36 }]\nalerts: [{ stopped: demo }]',
      ['use stale for windows in which it sends nothing'],
    ],
    [
      'an unexpected alert',
      'series: [{ event: purchase, values: 1000*35 400 }]\nquiet: true',
      [
        '+ fired purchases, window 2026-02-09',
        'notified, not expected: fired purchases',
        'passed threshold: 400 compared with 1,000 (-60%) crosses the threshold',
      ],
    ],
    [
      'a rule that never had a baseline',
      'series: [{ event: purchase, values: 1000*6 0 }]\nquiet: true',
      [
        'the test does not exercise purchases: no window was clear or breached',
        'purchases, Sun 11 Jan 2026 (Europe/Berlin): inconclusive',
        'the baseline has no value to compare with',
      ],
    ],
    [
      'a rule that was never evaluated',
      'rules: [users-a-week]\nseries: [{ metric: users, values: 100 }]\nquiet: true',
      ['the test does not exercise users-a-week', 'users-a-week was not evaluated: no run (monday at 07:00)'],
    ],
    [
      'a different message',
      `series: [{ event: purchase, values: 1000*35 400 }]
messages: [{ channel: boss, title: Purchases down, contains: [no such words], items: 2, severity: critical }]`,
      [
        '- channel boss, title Purchases down, contains no such words, items 2, severity critical',
        '+ shop, at 2026-02-10 01:00, "Purchases down 60%"',
        'it went to shop',
        'its title is "Purchases down 60%"',
        'its number of items is 1',
        'its severity is warning',
        'it does not contain "no such words"',
        '400 events on Mon 9 Feb 2026 (Europe/Berlin), 1,000 before',
      ],
    ],
  ])('%s', async (_, keys, lines) => {
    const why = await one(keys);
    for (const line of lines) expect(why).toContain(line);
  });
});

import { describe, expect, test } from 'vitest';
import { failing } from './example-rules.ts';

/** One test of a start on a Monday. */
const one = (keys: string) =>
  failing(
    `defaults: { starts: 2026-01-05 }\ntests:\n  - name: a\n${keys.trim().replaceAll(/^/gm, '    ')}\n`,
  );

describe('a test passes', () => {
  test.each([
    [
      'that says what is told, and when',
      `series: [{ event: purchase, values: 1000*35 400 }]
alerts: [{ fired: purchases, window: 2026-02-09, at: 2026-02-10 01:00, current: 400, baseline: 1000, change: -60%, difference: -600, reason: change below -40 % }]`,
    ],
    [
      'of zeros as promtool writes them, and not 86 as YAML would read it',
      'series: [{ event: purchase, values: 0x56 }]\nquiet: true',
    ],
    ['that says less', 'series: [{ event: purchase, values: 1000*35 400 }]\nalerts: [{ fired: purchases }]'],
    ['that says nothing is told', 'series: [{ event: purchase, values: 1000*35 700 }]\nquiet: true'],
    [
      'by the whole day on which it is told',
      'series: [{ event: purchase, values: 1000*35 400 }]\nalerts: [{ fired: purchases, at: 2026-02-10 }]',
    ],
    [
      'of one rule of two that differ in their filters',
      `series:
  - { event: purchase, values: 1000*36 }
  - event: purchase
    filters: [{ attribute: device_platform, operator: equal, value: ios }]
    values: 500*35 100
alerts: [{ fired: purchases-on-ios, current: 100 }]`,
    ],
    [
      'of a rule on a part that it names',
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
      'of two alerts, whichever of them is written the more closely',
      `series:
  - { event: search, segment: AT, values: 900*35 0 }
  - { event: search, segment: DE, values: 900*35 0 }
alerts: [{ fired: searches, current: 0 }, { fired: searches, segment: AT }]`,
    ],
    [
      'of two alerts, in the other order',
      `series:
  - { event: search, segment: AT, values: 900*35 0 }
  - { event: search, segment: DE, values: 900*35 0 }
alerts: [{ fired: searches, segment: DE }, { fired: searches, current: 0 }]`,
    ],
    [
      'of a day that is made of hours',
      `rules: [sessions-a-day]
interval: hour
series: [{ metric: sessions, values: 100*840 40*24 }]
alerts: [{ fired: sessions-a-day, current: 960, baseline: 2400 }]`,
    ],
    [
      'of users of two events, whom only the service counts once',
      'series: [{ metric: event_users, values: 1000*35 500 }]\nalerts: [{ fired: buyers, current: 500 }]',
    ],
    [
      'with the clocks of another zone, in hours',
      `rules: [sessions-a-day]
zone: Europe/London
interval: hour
starts: 2026-01-04 23:00
series: [{ metric: sessions, values: 100*840 40*24 }]
alerts: [{ fired: sessions-a-day, window: 2026-02-08 23:00, at: 2026-02-10 00:00 }]`,
    ],
    [
      'of a mean over what weighs',
      'series: [{ metric: rage_gestures_per_session, values: 0.2*35 0.6, weight: 5000 }]\nalerts: [{ fired: rage, current: 0.6 }]',
    ],
    [
      'of a ratio',
      `series:
  - { event: begun, values: 2000*36 }
  - { event: paid, values: 1000*35 600 }
alerts: [{ fired: conversion, current: 0.3, baseline: 0.5 }]`,
    ],
    [
      'of a quiet rule by the one that watches it',
      `series:
  - { event: view, values: 9000*35 900 }
  - { event: purchase, values: 1000*35 400 }
rules: [fewer-of-both]
alerts: [{ fired: purchases }, { fired: fewer-of-both }]`,
    ],
    [
      'in which what came late was too little, and takes back',
      `series:
  - event: purchase
    values: 1000*35 400 1000
    revisions: [{ window: 2026-02-09, value: 990, seen: 2026-02-10 12:00 }]
alerts:
  - { fired: purchases, current: 400 }
  - { retracted: purchases, at: 2026-02-11, current: 990 }`,
    ],
    [
      'in which the app stops, and no rule says a word',
      'series: [{ event: purchase, values: 1000*35 stale stale }]\nalerts: [{ stopped: demo }]',
    ],
    [
      'of a zero that is no row',
      'series: [{ event: purchase, values: 1000*35 _ }]\nalerts: [{ fired: purchases, current: 0 }]',
    ],
    [
      'of a mean without a row, which is no zero',
      'series: [{ metric: rage_gestures_per_session, values: 0.2*35 _ _ _, weight: 5000 }]\nalerts: [{ no-data: rage, at: 2026-02-12 }]',
    ],
    [
      'of messages, each channel its own, once the night is over',
      `series: [{ metric: rage_gestures_per_session, values: 0.2*35 0.6, weight: 5000 }]
messages:
  - { channel: shop, at: 2026-02-10 08:00, contains: 0.6 rage gestures per session }
  - { channel: boss, at: 2026-02-10 08:00, items: 1, severity: warning }`,
    ],
    [
      'of what is said again while nobody has taken it, and not after the last run',
      `series: [{ event: visit, values: 1000*35 400 400 }]
rules: [visits]
alerts: [{ fired: visits }, { reminded: visits, at: 2026-02-10 05:00 }, { reminded: visits, at: 2026-02-10 13:00 }]`,
    ],
    [
      'in which a silence keeps back, until it is over',
      `series: [{ event: purchase, values: 1000*35 400*3 }]
silences: [{ match: { rule: purch* }, from: 2026-02-10, until: 2026-02-11 15:30 }]
alerts: [{ fired: purchases, at: 2026-02-11 15:30 }]`,
    ],
    [
      'of a rule that settles longer than another of its cadence',
      'series: [{ metric: gestures, values: 500*48 0 }]\nalerts: [{ fired: gestures-late, window: 2026-01-07 00:00, at: 2026-01-07 04:20 }]',
    ],
    [
      'of the second of two hours of one name, by its offset',
      `rules: [gestures]
starts: 2026-10-25
series: [{ metric: gestures, values: 500*3 9500 }]
alerts: [{ fired: gestures, window: 2026-10-25 02:00+01:00, at: 2026-10-25 03:20 }]`,
    ],
    [
      'of the first of them without it',
      `rules: [gestures]
starts: 2026-10-25
series: [{ metric: gestures, values: 500*2 9500 }]
alerts: [{ fired: gestures, window: 2026-10-25 02:00, at: 2026-10-25 02:20+01:00 }]`,
    ],
    [
      'with the clocks that leave out an hour',
      `rules: [purchases]
series: [{ event: purchase, values: 2400*83 2300 2400 }]
quiet: true`,
    ],
  ])('%s', async (_, keys) => {
    expect(await one(keys)).toBe('');
  });
});

/** Of how many purchases after a thousand a day which change is told. */
describe('a change counts to as many decimals as are written', () => {
  test.each([
    ['-100%', 0, true],
    ['-100%', 4, true],
    ['-100%', 400, false],
    ['-100%', 6, false],
    ['-50%', 500, true],
    ['-50%', 504, true],
    ['-50%', 451, false],
    ['-50%', 506, false],
    ['-50.0%', 504, false],
    ['-49.6%', 504, true],
    ['200%', 3000, true],
    ['200%', 2510, false],
  ])('%s of %d', async (change, value, isSo) => {
    const rule = change.startsWith('-') ? 'purchases' : 'rises';
    const event = rule === 'rises' ? 'signup' : 'purchase';
    const why = await one(
      `series: [{ event: ${event}, values: 1000*35 ${value} }]\nalerts: [{ fired: ${rule}, change: ${change} }]`,
    );
    expect(why).toEqual(
      isSo ? '' : expect.stringContaining(`- fired ${rule}, change ${change.replace('%', ' %')}`),
    );
  });
});

describe('a test fails, and says why', () => {
  test.each([
    [
      'the bound that was not reached',
      'series: [{ event: purchase, values: 1000*35 620 }]\nalerts: [{ fired: purchases, window: 2026-02-09 }]',
      [
        '- fired purchases, window 2026-02-09',
        'purchases, Mon 9 Feb 2026 (Europe/Berlin): clear',
        'FAILED threshold: 620 compared with 1,000 (-38 %) does not cross the threshold (change below -40 %)',
      ],
    ],
    [
      'too few to tell',
      'series: [{ metric: rage_gestures_per_session, values: 0.2*35 0.6, weight: 3 }]\nalerts: [{ fired: rage }]',
      ['FAILED significance: not significant'],
    ],
    [
      'one window of two',
      'rules: [sessions]\nseries: [{ metric: sessions, values: 100*340 20 }]\nalerts: [{ fired: sessions }]',
      [': breached', 'it breaches, but the rule fires after 2 of 2'],
    ],
    [
      'a quiet rule',
      'series: [{ event: view, values: 1000*35 400 }]\nalerts: [{ fired: views }]',
      ['it fires without notifying: the rule is quiet'],
    ],
    [
      'a fall that the same run finds over',
      `rules: [on-weekdays]
series: [{ event: visit, values: 1000*32 100 1000 1000 }]
alerts: [{ fired: on-weekdays }, { fired: on-weekdays, window: 2026-02-06 }]`,
      ['on-weekdays, Fri 6 Feb 2026 (Europe/Berlin): breached', 'it fires and ends in the same run'],
    ],
    [
      'a night',
      `series: [{ metric: rage_gestures_per_session, values: 0.2*35 0.6, weight: 5000 }]
silences: [{ match: { rule: rage }, from: 2026-02-10, until: 2026-03-01 }]
alerts: [{ fired: rage }]`,
      ['it fires, but no notification was sent by the end of the test: it is muted'],
    ],
    [
      'another time',
      'series: [{ event: purchase, values: 1000*35 400 }]\nalerts: [{ fired: purchases, window: 2026-02-09, at: 2026-02-10 07:00 }]',
      [
        '- fired purchases, window 2026-02-09, at 2026-02-10 07:00',
        '+ fired purchases, window 2026-02-09, at 2026-02-10 01:00: 400 against 1,000 (-60 %)',
        'notified with a different at',
      ],
    ],
    [
      'the other of two hours of one name',
      `rules: [gestures]
starts: 2026-10-25
series: [{ metric: gestures, values: 500*3 9500 }]
alerts: [{ fired: gestures, window: 2026-10-25 02:00 }]`,
      ['- fired gestures, window 2026-10-25 02:00\n', '+ fired gestures, window 2026-10-25 02:00+01:00'],
    ],
    [
      'a window that no run judged',
      'series: [{ event: purchase, values: 1000*35 400 }]\nalerts: [{ fired: purchases }, { recovered: purchases, window: 2026-02-11 }]',
      [
        'purchases did not evaluate this window; it evaluated those from 2026-01-06 00:00 (at 2026-01-07 01:00) to 2026-02-09 00:00 (at 2026-02-10 01:00)',
      ],
    ],
    [
      'a fall that goes on',
      'series: [{ event: purchase, values: 1000*35 400 700 700 }]\nalerts: [{ fired: purchases }, { recovered: purchases }]',
      ['it still fires: it has not met its recovery bounds: 700 compared with 1,000 (-30 %)'],
    ],
    [
      'a segment that there is not',
      `series: [{ event: search, segment: DE, values: 1000*36 }]\nalerts: [{ fired: searches, segment: CH }]`,
      ['searches did not evaluate the segment "CH"; it evaluated DE'],
    ],
    [
      'an app that goes on',
      'series: [{ event: purchase, values: 1000*36 }]\nalerts: [{ stopped: demo }]',
      ['use stale for windows in which it sends nothing'],
    ],
    [
      'what nobody expected',
      'series: [{ event: purchase, values: 1000*35 400 }]\nquiet: true',
      [
        '+ fired purchases, window 2026-02-09',
        'notified, not expected: fired purchases',
        'passed threshold: 400 compared with 1,000 (-60 %) crosses the threshold',
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
      'a rule that never looked',
      'rules: [sessions-a-day]\ninterval: hour\nseries: [{ metric: sessions, values: 100*20 }]\nquiet: true',
      [
        'the test does not exercise sessions-a-day',
        'sessions-a-day was not evaluated: no run (day at 01:00)',
      ],
    ],
    [
      'a revision that comes after the last run',
      'series: [{ event: purchase, values: 1000*36, revisions: [{ window: 2026-02-09, value: 3, seen: 2026-02-20 }] }]\nquiet: true',
      [
        'the revision of 2026-02-09 00:00 is not used: it arrives at 2026-02-20 00:00, after the last run at 2026-02-10 01:00',
      ],
    ],
    [
      'other words',
      `series: [{ event: purchase, values: 1000*35 400 }]
messages: [{ channel: boss, title: Purchases down, contains: [no such words], items: 2, severity: critical }]`,
      [
        '- boss, "Purchases down", critical, of 2, with "no such words"',
        '+ shop, at 2026-02-10 01:00, "Purchases down 60 %"',
        'it went to shop',
        'its title is "Purchases down 60 %"',
        'its number of items is 1, not 2',
        'its severity is warning',
        'it does not contain "no such words"',
        'From 1,000 to 400 events',
      ],
    ],
  ])('%s', async (_, keys, lines) => {
    const why = await one(keys);
    for (const line of lines) expect(why).toContain(line);
  });
});

import type { Alert, News, Said } from './alert.ts';

export function acknowledgedNews({ by, reason: note }: Said): News {
  return { transition: 'acknowledged', reason: { code: 'acknowledged', by, note } };
}

export function snoozedNews({ by, reason: note, untilAt }: NonNullable<Alert['snoozed']>): News {
  return { transition: 'snoozed', reason: { code: 'snoozed', by, note, untilAt } };
}

/** The answers to the fire that stand at `now`, as the news that a notification for them contains. */
export function currentAnswers({ acknowledged, snoozed }: Alert, now: number): (News & { at: number })[] {
  const isSnoozed = snoozed !== null && (snoozed.untilAt === null || now < snoozed.untilAt);
  return [
    ...(acknowledged ? [{ ...acknowledgedNews(acknowledged), at: acknowledged.at }] : []),
    ...(isSnoozed ? [{ ...snoozedNews(snoozed), at: snoozed.at }] : []),
  ];
}

import type { Alert, News, Said } from './alert.ts';

/** "by Anna: looking at it". */
export function inWords({ by, reason }: Said): string {
  return reason === '' ? `by ${by}` : `by ${by}: ${reason}`;
}

export function takenNews(said: Said): News {
  return { transition: 'acknowledged', reason: inWords(said) };
}

export function snoozedNews(snoozed: NonNullable<Alert['snoozed']>): News {
  const until = snoozed.untilAt === null ? 'it recovers' : new Date(snoozed.untilAt).toISOString();
  return { transition: 'snoozed', reason: `until ${until}, ${inWords(snoozed)}` };
}

/** What people said of the fire that stands at `now`, as those who hear of it are told, and when they said it. */
export function standingAnswers({ acknowledged, snoozed }: Alert, now: number): (News & { at: number })[] {
  const isSnoozed = snoozed !== null && (snoozed.untilAt === null || now < snoozed.untilAt);
  return [
    ...(acknowledged ? [{ ...takenNews(acknowledged), at: acknowledged.at }] : []),
    ...(isSnoozed ? [{ ...snoozedNews(snoozed), at: snoozed.at }] : []),
  ];
}

import { quoted } from '../text/quoted.ts';
import type { Window } from '../time/window.ts';
import { MINUTE_MS } from '../units/durations.ts';
import { spanText } from './figure-text.ts';
import type { NewsContext } from './news.ts';

/** Notes in a message. */
const NAMED = 3;

/** The span of the notes that a message names: from its baseline to its window. `undefined`: it names none. */
export function noteSpan({ notification }: Pick<NewsContext, 'notification'>): Window | undefined {
  const { transition, evaluation } = notification;
  if (transition !== 'fired' || !evaluation) return undefined;
  return { startAt: evaluation.baseline.window.startAt, endAt: evaluation.current.window.endAt };
}

/** What happened between the baseline and the breach, the last first. */
export function noteFacts(news: NewsContext): { label: string; text: string }[] {
  const { alert, notification, rule, notes = [] } = news;
  const span = noteSpan(news);
  const beganAt = alert.incidents.at(-1)?.startAt ?? notification.evaluation?.current.window.startAt;
  if (!span || !rule || beganAt === undefined) return [];
  const within = notes
    .filter(({ app, at }) => (app === null || app === rule.app) && at >= span.startAt && at < span.endAt)
    .toSorted((a, b) => b.at - a.at);
  if (within.length === 0) return [];
  const named = within.slice(0, NAMED).map((note) => `${quoted(note.text)}, ${whenText(note.at, beganAt)}`);
  const more = within.length > NAMED ? [`and ${within.length - NAMED} more`] : [];
  return [{ label: within.length === 1 ? 'Note' : 'Notes', text: [...named, ...more].join('; ') }];
}

/** "40 minutes before", relative to the start of the first window that breached. */
function whenText(at: number, beganAt: number): string {
  if (Math.abs(at - beganAt) < MINUTE_MS) return 'when it began';
  return at < beganAt ? `${spanText(beganAt - at)} before` : `${spanText(at - beganAt)} after it began`;
}

import * as z from 'zod';
import type { SilenceStore } from '../../shared/alerting/ports.ts';
import type { Match, Silence } from '../../shared/alerting/silences.ts';
import type { Who } from '../../shared/alerting/who.ts';
import type { Clock } from '../../shared/runtime/clock.ts';

const HOUR = 3_600_000;

/** As long as silences are kept; what is never to be told is better not watched. */
const LONGEST_HOURS = 30 * 24;

export interface SilencingDeps {
  silences: SilenceStore;
  clock: Clock;
  newId: () => string;
}

const pattern = z
  .string()
  .trim()
  .max(500)
  .transform((text) => (text === '' ? undefined : text))
  .optional();

/** The form of a new silence: something to match, and how long, in hours or up to a time. */
export const silenceFormSchema = z
  .object({
    app: pattern,
    rule: pattern,
    owner: pattern,
    severity: pattern,
    segment: pattern,
    hours: z.preprocess(noneIfEmpty, z.coerce.number().positive().max(LONGEST_HOURS).optional()),
    until: z.preprocess(noneIfEmpty, z.iso.datetime({ local: true, offset: true }).optional()),
  })
  .refine(({ hours, until }) => (hours === undefined) !== (until === undefined), 'say how long, in one way')
  .transform(({ hours, until, ...match }) => ({ match, hours, until }))
  // Everything at once would be silence without end for whoever forgets it.
  .refine(({ match }) => Object.values(match).some((each) => each !== undefined), 'say what it is about');

export type SilenceForm = z.output<typeof silenceFormSchema>;

function noneIfEmpty(value: unknown): unknown {
  return value === '' ? undefined : value;
}

/** Keeps the silence that was asked for; `undefined`, and nothing kept, where it would be over or last too long. */
export async function addSilence(
  { match, hours, until }: SilenceForm,
  who: Who,
  { silences, clock, newId }: SilencingDeps,
): Promise<Silence | undefined> {
  const now = clock.now();
  const untilAt = hours === undefined ? Date.parse(inUtc(until ?? '')) : now + hours * HOUR;
  if (!(untilAt > now && untilAt <= now + LONGEST_HOURS * HOUR)) return undefined;
  const silence: Silence = { id: newId(), match: given(match), fromAt: now, untilAt, ...who, at: now };
  await silences.save(silence);
  return silence;
}

/** Ends a silence before its time; `undefined` where there is none in force. */
export async function endSilence(
  id: string,
  { silences, clock }: SilencingDeps,
): Promise<Silence | undefined> {
  const now = clock.now();
  const silence = (await silences.loadAll()).find((each) => each.id === id);
  if (!silence || silence.untilAt <= now) return undefined;
  const ended = { ...silence, untilAt: now };
  await silences.save(ended);
  return ended;
}

/** A browser's field of a local time names no zone. */
function inUtc(time: string): string {
  return /(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`;
}

function given(match: Match): Match {
  return Object.fromEntries(Object.entries(match).filter(([, pattern]) => pattern !== undefined));
}

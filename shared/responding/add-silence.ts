import * as z from 'zod';
import type { Author } from '../alerting/alerts/author.ts';
import type { SilenceStore } from '../alerting/notifications/silence-store.ts';
import type { Exactly, Match, Silence } from '../alerting/notifications/silences.ts';
import type { Clock } from '../runtime/clock.ts';

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

/** The form of a new silence: something to match, and for how many hours. */
export const silenceFormSchema = z
  .object({
    app: pattern,
    rule: pattern,
    owner: pattern,
    severity: pattern,
    segment: pattern,
    /** Of an alert that the form was opened from: as it is. */
    segment_is: z.string().optional(),
    hours: z.coerce.number().positive().max(LONGEST_HOURS),
  })
  .transform(({ hours, segment_is, segment, ...match }) => ({
    match: { ...match, segment: segment_is === undefined ? segment : { is: segment_is } },
    lengthMs: hours * HOUR,
  }))
  // Everything at once would be silence without end for whoever forgets it.
  .refine(({ match }) => Object.values(match).some(isNarrow), 'say what it is about');

type SilenceForm = z.output<typeof silenceFormSchema>;

function isNarrow(pattern: string | Exactly | undefined): boolean {
  return typeof pattern === 'string' ? !/^\*+$/.test(pattern) : pattern !== undefined;
}

/** Keeps the silence that was asked for, from now until `untilAt`. */
export async function addSilence(
  { match, untilAt }: Pick<SilenceForm, 'match'> & { untilAt: number },
  who: Author,
  { silences, clock, newId }: SilencingDeps,
): Promise<Silence> {
  const now = clock.now();
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

function given(match: Match): Match {
  return Object.fromEntries(Object.entries(match).filter(([, pattern]) => pattern !== undefined));
}

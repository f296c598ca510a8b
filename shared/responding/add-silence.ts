import * as z from 'zod';
import type { Author } from '../alerts/author.ts';
import type { SilenceStore } from '../notifications/silence-store.ts';
import type { Exactly, Match, Silence } from '../notifications/silences.ts';
import type { Clock } from '../runtime/clock.ts';
import { HOUR_MS } from '../units/durations.ts';

/** The longest silence. To mute an alert for longer, remove its rule. */
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

/** The form of a new silence: what it matches, and its length in hours. */
export const silenceFormSchema = z
  .object({
    app: pattern,
    rule: pattern,
    owner: pattern,
    severity: pattern,
    segment: pattern,
    /** The exact segment of the alert that the form was opened from. */
    segment_is: z.string().optional(),
    hours: z.coerce.number().positive().max(LONGEST_HOURS),
  })
  .transform(({ hours, segment_is, segment, ...match }) => ({
    match: { ...match, segment: segment_is === undefined ? segment : { is: segment_is } },
    lengthMs: hours * HOUR_MS,
  }))
  // A silence that matches everything would hide all alerts if its author forgets it.
  .refine(({ match }) => Object.values(match).some(isNarrow), 'give at least one condition other than "*"');

type SilenceForm = z.output<typeof silenceFormSchema>;

function isNarrow(pattern: string | Exactly | undefined): boolean {
  return typeof pattern === 'string' ? !/^\*+$/.test(pattern) : pattern !== undefined;
}

/** Saves a silence from now until `untilAt` (epoch milliseconds). */
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

/** Ends an active or scheduled silence now. `undefined` if it does not exist or has ended. */
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

import * as z from 'zod';
import { saidSchema } from '../alerts/alert.ts';
import { HOUR_MS } from '../units/durations.ts';
import { type Exactly, matchSchema } from './matching.ts';

/** The longest silence. To mute an alert for longer, remove its rule. */
export const LONGEST_SILENCE_DAYS = 30;

/** No matching notification is sent in `[fromAt, untilAt)`; evaluation continues. As it is stored. */
export const silenceSchema = saidSchema.extend({
  id: z.string(),
  match: matchSchema,
  fromAt: z.number(),
  untilAt: z.number(),
});
export type Silence = z.infer<typeof silenceSchema>;

export const holdsNow = ({ fromAt, untilAt }: Silence, now: number): boolean =>
  fromAt <= now && now < untilAt;

/** How long ended silences are kept. */
export const SILENCES_KEPT_DAYS = 30;

export interface SilenceStore {
  save(silence: Silence): Promise<void>;
  /** All silences in no order, with the ended ones that are still kept. */
  loadAll(): Promise<Silence[]>;
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
    hours: z.coerce
      .number()
      .positive()
      .max(LONGEST_SILENCE_DAYS * 24),
  })
  .transform(({ hours, segment_is, segment, ...others }) => {
    const all = { ...others, segment: segment_is === undefined ? segment : { is: segment_is } };
    const match = Object.fromEntries(Object.entries(all).filter(([, each]) => each !== undefined));
    return { match: match as typeof all, lengthMs: hours * HOUR_MS };
  })
  // A silence that matches everything would hide all alerts if its author forgets it.
  .refine(({ match }) => Object.values(match).some(isNarrow), 'give at least one condition other than "*"');

function isNarrow(pattern: string | Exactly | undefined): boolean {
  return typeof pattern === 'string' ? !/^\*+$/.test(pattern) : pattern !== undefined;
}

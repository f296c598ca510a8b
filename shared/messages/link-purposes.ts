import * as z from 'zod';
import { ANSWER_NAMES, type Said } from '../alerts/alert.ts';
import { grantSchema } from '../alerts/roles.ts';
import { DAY_MS } from '../units/durations.ts';

/** Purposes of signed links and their claims. A link is valid for its own purpose only. */
export const PURPOSES = {
  /** Answers one alert while it fires on this window. */
  answer: z.object({
    answer: z.enum(ANSWER_NAMES),
    ruleId: z.string(),
    segment: z.string().nullable(),
    firedWindowEndAt: z.number(),
    /** Distinguishes several fires on one window: `Fired.fromRevision`. */
    fire: z.number().optional(),
  }),
  /** Shows the chart of one series up to a moment. */
  picture: z.object({ ruleId: z.string(), segment: z.string().nullable(), throughAt: z.number() }),
  /** Signs in the named person and redirects to a path of the page. */
  'sign-in': z.object({ by: z.string(), to: z.string(), grant: grantSchema.optional() }),
  /** The session that sign-in creates. Without a grant, of an admin. */
  session: z.object({ by: z.string(), grant: grantSchema.optional() }),
} as const;
export type Purpose = keyof typeof PURPOSES;
export type Claims<P extends Purpose> = z.output<(typeof PURPOSES)[P]>;

/** Lifetimes from the moment of signing. */
export const LINK_LIVES_MS: Record<Purpose, number> = {
  answer: 14 * DAY_MS,
  picture: 60 * DAY_MS,
  'sign-in': 10 * 60_000,
  session: DAY_MS / 2,
};

/** `foreign`: not signed by this deployment for this purpose. */
export type Verified<P extends Purpose> =
  | { kind: 'valid'; id: string; claims: Claims<P>; expiresAt: number }
  | { kind: 'expired' }
  | { kind: 'foreign' };

export interface LinkSigner {
  /** `id` identifies the action: links with the same id are used up together. */
  sign<P extends Purpose>(purpose: P, claims: Claims<P>, id: string): Promise<string>;
  /** Never throws, whatever text `token` is. */
  verify<P extends Purpose>(purpose: P, token: string): Promise<Verified<P>>;
}

/** Used links, kept until they expire. */
export interface UsedLinks {
  find(id: string): Promise<Said | undefined>;
  /** Records the first use; returns `false` without a change if the link was used before. */
  save(id: string, said: Said, expiresAt: number): Promise<boolean>;
}

import * as z from 'zod';
import { ANSWER_NAMES, type Said } from '../alerts/alert.ts';

/** What a signed link is good for, and what it says. It is good for nothing else. */
export const PURPOSES = {
  /** Answers one alert, as long as it fires on that. */
  answer: z.object({
    answer: z.enum(ANSWER_NAMES),
    ruleId: z.string(),
    segment: z.string().nullable(),
    firedWindowEndAt: z.number(),
    /** Which fire for that window it is, where there may be several: `Fired.fromRevision`. */
    fire: z.number().optional(),
  }),
  /** Shows the figures of one series up to a moment. */
  picture: z.object({ ruleId: z.string(), segment: z.string().nullable(), throughAt: z.number() }),
  /** Lets whoever is named onto the page, and leads to one of its paths. */
  'sign-in': z.object({ by: z.string(), to: z.string() }),
  /** What a browser is given for that. */
  session: z.object({ by: z.string() }),
} as const;
export type Purpose = keyof typeof PURPOSES;
export type Claims<P extends Purpose> = z.output<(typeof PURPOSES)[P]>;

const DAY_MS = 86_400_000;

/** How long each is good for, from when it was signed. */
export const LINK_LIVES_MS: Record<Purpose, number> = {
  answer: 14 * DAY_MS,
  picture: 60 * DAY_MS,
  'sign-in': 10 * 60_000,
  session: DAY_MS / 2,
};

/** `foreign`: not made by us for this purpose, whatever else it may be. */
export type Verified<P extends Purpose> =
  | { kind: 'valid'; id: string; claims: Claims<P>; expiresAt: number }
  | { kind: 'expired' }
  | { kind: 'foreign' };

/** Makes the secret part of links, and tells ours from others. */
export interface LinkSigner {
  /** `id` names what the link does: whatever has the same is used up with it. */
  sign<P extends Purpose>(purpose: P, claims: Claims<P>, id: string): Promise<string>;
  /** Never throws for what `token` is, which may be any text. */
  verify<P extends Purpose>(purpose: P, token: string): Promise<Verified<P>>;
}

/** Which links were used, as long as they would still be good. */
export interface UsedLinks {
  find(id: string): Promise<Said | undefined>;
  /** Records the first use; `false`, and nothing recorded, where there was one before. */
  save(id: string, said: Said, expiresAt: number): Promise<boolean>;
}

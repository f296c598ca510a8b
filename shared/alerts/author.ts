import * as z from 'zod';

export interface Author {
  by: string;
  reason: string;
}

const MOST_NAME = 80;
const MOST_REASON = 500;

/** Characters that break a line, are invisible, or change the direction: names and reasons are in our sentences. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** One line of at most `most` characters, which may be empty. */
export const lineOf = (most: number) =>
  z
    .string()
    .transform((text) => text.toWellFormed().replace(UNSEEN, ' ').trim())
    .pipe(z.string().max(most));

/** One line of a form: the required name of a person and an optional reason. */
export const nameSchema = lineOf(MOST_NAME).pipe(z.string().min(1));
export const reasonSchema = lineOf(MOST_REASON).default('');

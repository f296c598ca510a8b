import * as z from 'zod';

/** Who says something, and why. */
export interface Author {
  by: string;
  reason: string;
}

const MOST_NAME = 80;
const MOST_REASON = 500;

/** What would end a line, hide letters, or turn the words around it: names and reasons stand in sentences of ours. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

const line = (most: number) =>
  z
    .string()
    .transform((text) => text.toWellFormed().replace(UNSEEN, ' ').trim())
    .pipe(z.string().max(most));

/** One line of a form: a name, which somebody who answers must have, and a reason, which may be left out. */
export const nameSchema = line(MOST_NAME).pipe(z.string().min(1));
export const reasonSchema = line(MOST_REASON).default('');

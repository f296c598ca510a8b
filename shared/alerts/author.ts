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
const lineOf = (most: number) =>
  z
    .string()
    .max(most)
    .transform((text) => text.toWellFormed().replace(UNSEEN, ' ').trim());

/** Like `lineOf`, but not empty. */
export const someLineOf = (most: number) =>
  lineOf(most)
    .refine((text) => text !== '', 'is empty')
    .meta({ pattern: '[^\\s\\p{Cc}\\p{Cf}]' });

/** One line of a form: the required name of a person and an optional reason. */
export const nameSchema = someLineOf(MOST_NAME);
export const reasonSchema = lineOf(MOST_REASON).default('');

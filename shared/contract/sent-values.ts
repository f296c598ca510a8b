import * as z from 'zod';
import type { AttributeType } from './attributes.ts';

/** The JSON format of numbers. */
const NUMBER_TEXT = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const numberTextSchema = z
  .string()
  .regex(NUMBER_TEXT)
  .refine((text) => Number.isFinite(Number(text)));
const BOOLEAN_TEXTS = ['true', 'false'] as const;

/** A number, also as text, because forms and spreadsheets send text. */
export const sentNumberSchema = z.union([z.number(), numberTextSchema.transform(Number)], {
  error: 'not a number',
});

type Scalar = string | number | boolean;

/**
 * Converts the value of a filter to the type of its attribute. A value that does not fit stays, and is refused later.
 */
export function typedValue(value: Scalar, type: AttributeType): Scalar {
  if (typeof value !== 'string') return value;
  if (type === 'number' && numberTextSchema.safeParse(value).success) return Number(value);
  if (type === 'boolean' && BOOLEAN_TEXTS.some((text) => text === value)) return value === 'true';
  return value;
}

import * as z from 'zod';
import type { AttributeType } from './attributes.ts';

/** As JSON writes numbers. */
const NUMBER_TEXT = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const numberTextSchema = z
  .string()
  .regex(NUMBER_TEXT)
  .refine((text) => Number.isFinite(Number(text)));
export const BOOLEAN_TEXTS = ['true', 'false'] as const;

/** A number, or one that was sent as text: forms and spreadsheets know no other. */
export const sentNumberSchema = z.union([z.number(), numberTextSchema.transform(Number)], {
  error: 'not a number',
});

type Scalar = string | number | boolean;

/** The value of a filter as its attribute has it. What does not fit stays as it is, to be refused by its own name. */
export function typedValue(value: Scalar, type: AttributeType): Scalar {
  if (typeof value !== 'string') return value;
  if (type === 'number' && numberTextSchema.safeParse(value).success) return Number(value);
  if (type === 'boolean' && BOOLEAN_TEXTS.some((text) => text === value)) return value === 'true';
  return value;
}

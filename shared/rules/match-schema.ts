import * as z from 'zod';
import { oneOrMore } from '../text/text-schemas.ts';
import { SEVERITIES } from './rule-schema.ts';

const pattern = oneOrMore(z.string().min(1));

/** Which alerts a route or a mention is about. */
export const matchSchema = z
  .strictObject({
    app: pattern.optional(),
    rule: pattern.optional(),
    owner: pattern.optional(),
    severity: oneOrMore(z.enum(SEVERITIES)).optional(),
    segment: pattern.optional(),
  })
  .describe(
    'All given keys must match. A value is a text in which "*" matches any text, or a list of such texts.',
  );

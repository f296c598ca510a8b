import * as z from 'zod';
import { minutes } from '../text/text-schemas.ts';

/** Minutes before a new segment is evaluated. With "report" it is evaluated at once, as a rise from zero. */
export const newSegmentsSchema = z.union([z.literal('report'), minutes], {
  error: 'write "report" or a duration such as "7 days"',
});

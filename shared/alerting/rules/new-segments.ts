import * as z from 'zod';
import { minutes } from '../text/text-schemas.ts';

/** How long a new segment is watched before it is judged, in minutes; "report": not at all, it rises from zero. */
export const newSegmentsSchema = z.union([z.literal('report'), minutes], {
  error: 'write "report" or a duration such as "7 days"',
});

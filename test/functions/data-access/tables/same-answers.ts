import fc from 'fast-check';
import { requestsAbout } from '../../../oracle/random-requests.ts';
import type { World } from '../../../oracle/rows.ts';
import type { Reply } from '../sample-app.ts';

const RESOURCES = ['event', 'session', 'user', 'screen'] as const;

/** Random requests about a world, with their paths. */
export function listsAbout(world: World) {
  const requests = requestsAbout(world);
  const analytics = fc
    .constantFrom(...RESOURCES)
    .chain((resource) => fc.tuple(fc.constant(`${resource}/analytics`), requests.analytics(resource)));
  const lists = fc
    .constantFrom('event' as const, 'session' as const, 'user' as const)
    .chain((resource) => fc.tuple(fc.constant(resource), requests.list(resource)));
  return fc.oneof(analytics, lists);
}

/** Without the cursor, which is signed, and without properties of `null`, which an import leaves out. */
export const comparable = ({ status, body }: Reply) => ({
  ...{ status, code: body.error?.code },
  data: body.data?.map((row) => {
    const { eventProperty: properties } = row;
    if (typeof properties !== 'object' || properties === null) return row;
    const valued = Object.entries(properties).filter(([, value]) => value !== null);
    return { ...row, eventProperty: Object.fromEntries(valued) };
  }),
});

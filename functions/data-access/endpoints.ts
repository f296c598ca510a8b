import type * as z from 'zod';
import type { Read, Resource } from '../../shared/analytics/attributes.ts';
import {
  legacyAnalyticsSchema,
  legacyListSchema,
  userAnalyticsSchema,
  userListSchema,
} from '../../shared/analytics/requests.ts';
import { eventAnalytics } from './queries/event-analytics.ts';
import { sessionAnalytics } from './queries/session-analytics.ts';
import { type Answer, analyzeLegacy, analyzeUsers, type Call, listEvents, listUsers } from './reads.ts';
import { parseRequest } from './requests.ts';

/** `legacy`: GET, parameters and credentials in the query. `body`: POST, a JSON body, the key in a header. */
export type Style = 'legacy' | 'body';

/** One read of the interface. */
export interface Endpoint {
  readonly style: Style;
  readonly path: string;
  readonly resource: Resource;
  readonly read: Read;
  /** What a request has besides its credentials; of a body, `app_id` is part of it. */
  readonly request: z.ZodType;
  /** Understands a request as it was sent. Throws `RequestError` where it does not keep to the schema. */
  understand(raw: unknown): (call: Call) => Promise<Answer>;
}

type Place = Pick<Endpoint, 'style' | 'path' | 'resource' | 'read'>;

function endpoint<S extends z.ZodType>(
  place: Place,
  request: S,
  ask: (request: z.output<S>, call: Call) => Promise<Answer>,
): Endpoint {
  return {
    ...place,
    request,
    understand(raw) {
      const understood = parseRequest(request, raw);
      return (call) => ask(understood, call);
    },
  };
}

export const ENDPOINTS: readonly Endpoint[] = [
  endpoint(
    { style: 'legacy', path: '/v2/event', resource: 'event', read: 'list' },
    legacyListSchema('event'),
    listEvents,
  ),
  endpoint(
    { style: 'legacy', path: '/v2/event/analytics', resource: 'event', read: 'analytics' },
    legacyAnalyticsSchema('event'),
    analyzeLegacy('event', eventAnalytics),
  ),
  endpoint(
    { style: 'legacy', path: '/v2/session/analytics', resource: 'session', read: 'analytics' },
    legacyAnalyticsSchema('session'),
    analyzeLegacy('session', sessionAnalytics),
  ),
  endpoint(
    { style: 'body', path: '/api/data-access/v1/user', resource: 'user', read: 'list' },
    userListSchema,
    listUsers,
  ),
  endpoint(
    { style: 'body', path: '/api/data-access/v1/user/analytics', resource: 'user', read: 'analytics' },
    userAnalyticsSchema,
    analyzeUsers,
  ),
];

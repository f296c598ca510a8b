import * as z from 'zod';
import type { Read, Resource } from '../../../shared/contract/attributes.ts';
import { funnelRequestSchema, retentionRequestSchema } from '../../../shared/contract/journeys.ts';
import {
  bodyAnalyticsSchema,
  bodyListSchema,
  legacyAnalyticsSchema,
  legacyListSchema,
  showOnly,
} from '../../../shared/contract/requests.ts';
import { analyzeBody, analyzeLegacy } from '../answers/analytics.ts';
import { eventCatalogue } from '../answers/catalogue.ts';
import { analyzeFunnel, analyzeRetention } from '../answers/journeys.ts';
import { listBody, listLegacy, rowListing, USERS } from '../answers/lists.ts';
import type { Answer, Call } from '../answers/read-context.ts';
import { eventAnalytics, screenAnalytics, sessionAnalytics, userAnalytics } from '../queries/analytics.ts';
import { parseRequest } from '../requests/parse-request.ts';

/** `legacy`: GET with query parameters. `body`: POST with a JSON body. */
type Style = 'legacy' | 'body';

export interface Endpoint {
  readonly style: Style;
  readonly path: string;
  readonly resource: Resource;
  readonly read: Read | 'funnel' | 'retention';
  /** A request without its credentials. In a body, `app_id` is part of it. */
  readonly request: z.ZodType;
  /** Parses a request. Throws `RequestError` if it does not match the schema. */
  parse(raw: unknown): (call: Call) => Promise<Answer>;
}

const ROOTS: Readonly<Record<Style, string>> = { legacy: '/v2', body: '/api/data-access/v1' };

function endpoint<S extends z.ZodType<{ time_zone?: string | undefined }>>(
  [style, resource, read]: readonly [Style, Resource, Endpoint['read']],
  request: S,
  answer: (request: z.output<S>, call: Call) => Promise<Answer>,
): Endpoint {
  const within = `${resource}${read === 'list' ? '' : `/${read}`}`;
  return {
    style,
    path: `${ROOTS[style]}/${read === 'funnel' || read === 'retention' ? read : within}`,
    resource,
    read,
    request,
    parse(raw) {
      const parsed = parseRequest(request, raw);
      return (call) => answer(parsed, inZone(call, parsed.time_zone));
    },
  };
}

const inZone = (call: Call, zone = call.app.settings.zone): Call => ({
  ...call,
  app: { ...call.app, settings: { ...call.app.settings, zone } },
});
// biome-ignore format: a table
export const ENDPOINTS: readonly Endpoint[] = [
  endpoint(['legacy', 'event', 'list'], legacyListSchema('event'), listLegacy(rowListing('event'))),
  endpoint(['legacy', 'event', 'analytics'], legacyAnalyticsSchema('event'), analyzeLegacy('event', eventAnalytics)),
  endpoint(['legacy', 'event', 'catalogue'], z.strictObject({}), eventCatalogue),
  endpoint(['legacy', 'session', 'list'], legacyListSchema('session'), listLegacy(rowListing('session'))),
  endpoint(['legacy', 'session', 'analytics'], legacyAnalyticsSchema('session'), analyzeLegacy('session', sessionAnalytics)),
  endpoint(['legacy', 'user', 'list'], legacyListSchema('user').extend(showOnly), listLegacy(USERS)),
  endpoint(['legacy', 'user', 'analytics'], legacyAnalyticsSchema('user'), analyzeLegacy('user', userAnalytics)),
  endpoint(['body', 'event', 'list'], bodyListSchema('event'), listBody(rowListing('event'))),
  endpoint(['body', 'event', 'analytics'], bodyAnalyticsSchema('event'), analyzeBody('event', eventAnalytics)),
  endpoint(['body', 'session', 'list'], bodyListSchema('session'), listBody(rowListing('session'))),
  endpoint(['body', 'session', 'analytics'], bodyAnalyticsSchema('session'), analyzeBody('session', sessionAnalytics)),
  endpoint(['body', 'user', 'list'], bodyListSchema('user').extend(showOnly), listBody(USERS)),
  endpoint(['body', 'user', 'analytics'], bodyAnalyticsSchema('user'), analyzeBody('user', userAnalytics)),
  endpoint(['body', 'screen', 'analytics'], bodyAnalyticsSchema('screen'), analyzeBody('screen', screenAnalytics)),
  endpoint(['body', 'event', 'funnel'], funnelRequestSchema, analyzeFunnel),
  endpoint(['body', 'event', 'retention'], retentionRequestSchema, analyzeRetention),
];

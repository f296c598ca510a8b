import * as z from 'zod';
import { retryAfterMs } from '../http/retry-after.ts';
import { UpstreamError } from '../runtime/errors.ts';
import { jsonIn } from '../text/json.ts';

const saidSchema = z.union([
  z.string().transform((message) => ({ code: undefined, message })),
  z.object({ code: z.string().optional(), message: z.string().optional() }),
]);
const faultSchema = z.union([
  z.string(),
  z.object({ msg: z.string() }).transform(({ msg }) => msg),
  z.object({ message: z.string() }).transform(({ message }) => message),
]);
/** The shapes of error bodies that services of this kind send. */
const bodySchema = z.union([
  z.object({ error: saidSchema }).transform(({ error }) => error),
  z
    .object({ detail: z.array(faultSchema) })
    .transform(({ detail }) => ({ code: undefined, message: detail.join('; ') })),
  z.object({ detail: saidSchema }).transform(({ detail }) => detail),
  saidSchema,
]);

/** An addition of Deltawatch's own service. */
export const FUNNEL_PATH = '/api/data-access/v1/funnel';

const MAX_SAID_CHARS = 300;

/** The service accepts the key but refuses this question. It may answer another one. */
export class QuestionRefusedError extends UpstreamError {
  constructor(message: string) {
    super(message, { retryable: false });
  }
}

interface RefusalContext {
  now: number;
  path: string;
  /** Removes secrets from a text. */
  redact: (text: string) => string;
}

/** The error for an unsuccessful response: what happened, what to do, the status and the message of the service. */
export function refusalOf(
  response: Response,
  body: string,
  { now, path, redact }: RefusalContext,
): UpstreamError {
  const { status } = response;
  const { code, said } = saidBy(body, redact);
  const wait = waitFor(response, code, now);
  const message = `${actOf(status, path)} (${[status, said].filter(Boolean).join(', ')})`;
  if (status === 400 || status === 422) return new QuestionRefusedError(message);
  return new UpstreamError(message, {
    retryable: status === 429 || status >= 500,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

/** How long to wait before the next attempt, if the response says so. */
function waitFor({ status, headers }: Response, code: string | undefined, now: number): number | undefined {
  // The same question would reach the same limit. A later run, or a part of it, may not.
  if (code === 'QUERY_TIMEOUT') return Number.POSITIVE_INFINITY;
  if (status !== 429) return undefined;
  return retryAfterMs(headers.get('retry-after') ?? headers.get('x-ratelimit-reset'), now);
}

function actOf(status: number, path: string): string {
  if (status === 404 && path === FUNNEL_PATH)
    return 'the data access service has no funnels of users; remove "within" from the rules';
  if (status === 401 || status === 403)
    return 'the data access service does not accept the API key for this app; check the key and the app id';
  if (status === 429) return 'the data access service limits the call rate';
  if (status >= 500) return 'the data access service failed';
  if (status >= 300 && status < 400)
    return 'the data access service redirects to another address; correct its URL';
  return 'the data access service refused the request';
}

/** The code and the message of the body, in one line. Without them if it is a proxy's page. */
function saidBy(
  body: string,
  redact: RefusalContext['redact'],
): { code?: string | undefined; said?: string } {
  const parsed = bodySchema.safeParse(jsonIn(body));
  if (!parsed.success) return {};
  const { code, message } = parsed.data;
  // Redacted before it is cut, because half a secret would not be recognized.
  const whole = redact([code, message].filter(Boolean).join(': '));
  const said = whole.length > MAX_SAID_CHARS ? `${whole.slice(0, MAX_SAID_CHARS)}…` : whole;
  return { code, said };
}

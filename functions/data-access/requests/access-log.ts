import type { Context, MiddlewareHandler } from 'hono';
import type { ErrorCode } from '../../../shared/analytics/responses.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { RequestMeter } from '../../../shared/runtime/metrics.ts';
import { printable } from '../../../shared/runtime/redaction.ts';

/** One request, as those who operate the service are told of it: no query, no header and no body is in it. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** 499 where the caller hung up before the answer. */
  readonly status: number;
  readonly durationMs: number;
  /** Of a refusal or failure. */
  readonly code?: ErrorCode;
  readonly keyId?: string;
  /** As the caller named it; of a good key only. */
  readonly appId?: string;
  /** Items in the answer's `data`. */
  readonly rows?: number;
  /** What the queries read, where the engine knows. */
  readonly bytesScanned?: number;
}

/** What is found out about a request on the way to its answer. */
type Findings = { -readonly [Field in keyof Answered]?: Answered[Field] };

/** What the service keeps of a request while it answers. */
export interface Requested {
  Variables: { requestId: string; findings: Findings; signal: AbortSignal };
}
export type RequestContext = Context<Requested>;

/** Asked every few seconds by load balancers, who would drown everybody else. */
export const HEALTH_PATH = '/health';

const CALLER_GONE = 499;
const MOST_LETTERS = 256;

export const brief = (text: string): string => text.slice(0, MOST_LETTERS);

/** Tells of every request once it is answered, but of good health, and gives each a signal that fires when its caller hangs up. */
export function observeRequests(
  clock: Pick<Clock, 'now'>,
  onAnswered: (request: Answered) => void,
): MiddlewareHandler<Requested> {
  return async (c, next) => {
    const startedAt = clock.now();
    c.set('findings', {});
    c.set('signal', callerSignal(c.req.raw.signal));
    await next();
    const status = c.get('signal').aborted ? CALLER_GONE : c.res.status;
    if (c.req.path === HEALTH_PATH && status === 200) return;
    const { appId, ...findings } = c.get('findings');
    onAnswered({
      requestId: c.get('requestId'),
      method: c.req.method,
      // Whoever forgets the question mark sends their key as part of the path.
      path: printable(brief(c.req.path)),
      status,
      durationMs: clock.now() - startedAt,
      ...findings,
      ...(appId !== undefined && { appId: printable(appId) }),
    });
  };
}

/** The server's own signal fires with a mere text, which must not be what somebody throws. */
function callerSignal(server: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new DOMException('the caller hung up', 'AbortError'));
  if (server.aborted) abort();
  server.addEventListener('abort', abort, { once: true });
  return gone.signal;
}

export const logRequests =
  (logger: Pick<Logger, 'info'>) =>
  (request: Answered): void =>
    logger.info('request', { ...request });

export const meterRequests =
  (meter: RequestMeter) =>
  ({ status, durationMs, rows = 0, bytesScanned = 0 }: Answered): void =>
    meter({
      Requests: 1,
      Refusals: status >= 400 && status < CALLER_GONE ? 1 : 0,
      Failures: status >= 500 ? 1 : 0,
      DurationMs: durationMs,
      Rows: rows,
      BytesScanned: bytesScanned,
    });

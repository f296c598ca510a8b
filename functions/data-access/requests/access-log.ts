import type { Context, MiddlewareHandler } from 'hono';
import type { ErrorCode } from '../../../shared/contract/responses.ts';
import type { Clock } from '../../../shared/runtime/clock.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { RequestMeter } from '../../../shared/runtime/metrics.ts';
import { printable } from '../../../shared/runtime/redaction.ts';

/** One log entry per request, without query, headers and body. */
export interface Answered {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  /** 499 if the caller disconnected before the response. */
  readonly status: number;
  readonly durationMs: number;
  /** The code of an error response. */
  readonly code?: ErrorCode;
  readonly keyId?: string;
  /** As sent by the caller; only with a valid key. */
  readonly appId?: string;
  /** Items in `data` of the response. */
  readonly rows?: number;
  /** What the queries read, if the engine reports it. */
  readonly bytesScanned?: number;
}

/** Collected while a request is handled. */
type Findings = { -readonly [Field in keyof Answered]?: Answered[Field] };

/** The Hono environment of the service, from the server of Node or from API Gateway. */
export interface ServiceEnv {
  Bindings: {
    readonly incoming?: { readonly socket: { readonly remoteAddress?: string } };
    readonly requestContext?: { readonly http?: { readonly sourceIp: string } };
  };
  Variables: { requestId: string; findings: Findings; signal: AbortSignal };
}
export type RequestContext = Context<ServiceEnv>;

/**
 * The network of a caller, as the connection or API Gateway says it. `X-Forwarded-For` is not read, because a caller can
 * write it. An IPv6 caller has many addresses, so only its network counts.
 */
export function addressOf({ incoming, requestContext }: ServiceEnv['Bindings'] = {}): string {
  const address = incoming?.socket.remoteAddress ?? requestContext?.http?.sourceIp ?? 'unknown';
  return address.includes('.') ? address : address.split(':').slice(0, 4).join(':');
}

/** Not logged when healthy, because load balancers call it every few seconds. */
export const HEALTH_PATH = '/health';

const CALLER_GONE = 499;
const MAX_LENGTH = 256;

export const brief = (text: string): string => text.slice(0, MAX_LENGTH);

/** Reports each finished request except successful health checks, and provides a signal for a caller that disconnects. */
export function observeRequests(
  clock: Pick<Clock, 'now'>,
  onAnswered: (request: Answered) => void,
): MiddlewareHandler<ServiceEnv> {
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
      // Without its question mark, a query with the key becomes part of the path.
      path: printable(brief(c.req.path)),
      status,
      durationMs: clock.now() - startedAt,
      ...findings,
      ...(appId !== undefined && { appId: printable(appId) }),
    });
  };
}

/** The server aborts its signal with a string, but a thrown reason must be an error. */
function callerSignal(server: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const abort = () => gone.abort(new DOMException('the caller disconnected', 'AbortError'));
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

import { bodyText } from '../http/body-text.ts';
import { whyUnreachable } from '../http/unreachable.ts';
import type { CallBudget } from '../readings/metric-source.ts';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError, UpstreamError } from '../runtime/errors.ts';
import { jsonIn } from '../text/json.ts';
import type { DataAccessCall } from './calls.ts';
import { refusalOf } from './refusals.ts';

export interface DataAccessHttpOptions {
  /** The base URL, without `/v2` and `/api/data-access/v1`. */
  baseUrl: string;
  /** Secret. Legacy calls have it in their URL, so errors and logs never repeat a URL. */
  apiKey: string;
  clock: Clock;
  fetch?: (url: string, init: RequestInit) => Response | Promise<Response>;
  /** Asked before each request, including retries and further pages. `false` forbids it. */
  budget: {
    takeCalls(app: string, at: number, calls: number, budget: CallBudget): boolean | Promise<boolean>;
  };
  requestsPerSecond?: number;
  timeoutMs?: number;
}

/** The calls of the app for this hour are used up. */
export class BudgetSpentError extends Error {
  override readonly name = 'BudgetSpentError';
}

const MAX_ATTEMPTS = 4;
const FIRST_WAIT_MS = 1000;
/** The longest answers have thousands of rows, and about 2 MB. */
const MOST_BYTES = 32 * 1024 ** 2;
/** If the service asks for a longer wait, the next tick tries again instead. */
const MAX_WAIT_MS = 20_000;
/** An attempt that failed after this time is not repeated: a run has no time for several. */
const LONG_ATTEMPT_MS = 30_000;

/**
 * A function that sends calls, at most `requestsPerSecond`, with retries. It resolves to the JSON of the response, and
 * throws `BudgetSpentError`, or `UpstreamError` with a message that never contains the key.
 */
export function createDataAccessHttp(
  options: DataAccessHttpOptions,
): (call: DataAccessCall, budget: CallBudget) => Promise<unknown> {
  const { clock, requestsPerSecond = 5 } = options;
  if (!URL.canParse(options.baseUrl))
    throw new ConfigError('the address of the data access service is not a URL');
  const waitForTurn = pacer(clock, requestsPerSecond);

  return async (call, budget) => {
    for (let attempt = 1; ; attempt += 1) {
      await waitForTurn();
      if (!(await options.budget.takeCalls(call.app, clock.now(), 1, budget)))
        throw new BudgetSpentError(`no calls are left this hour for the app "${call.app}"`);
      const startedAt = clock.now();
      try {
        return await ask(call, options);
      } catch (error) {
        if (!(error instanceof UpstreamError) || clock.now() - startedAt >= LONG_ATTEMPT_MS) throw error;
        const wait = waitBeforeRetry(error, attempt);
        if (wait === undefined) throw error;
        await clock.sleep(wait);
      }
    }
  };
}

async function ask(call: DataAccessCall, options: DataAccessHttpOptions): Promise<unknown> {
  const { clock, timeoutMs = 20_000 } = options;
  const fetchFrom = options.fetch ?? fetch;
  const { url, init } = requestFor(call, options);
  let response: Response;
  let body: { text: string; isCut: boolean };
  try {
    // Following a redirect would send the key to another address.
    response = await fetchFrom(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    body = await bodyText(response, MOST_BYTES);
  } catch (error) {
    throw new UpstreamError(`the data access service ${whyUnreachable(error, timeoutMs)}`, {
      retryable: true,
    });
  }
  // Services may repeat the request in errors, with the key.
  const redact = redactionOf(options.apiKey);
  if (!response.ok) throw refusalOf(response, body.text, { now: clock.now(), path: call.path, redact });
  if (body.isCut)
    throw unusable(
      `the response is longer than ${MOST_BYTES / 1024 ** 2} MB; ask for fewer segments or events`,
    );
  const json = jsonIn(body.text);
  if (json !== undefined) return json;
  throw unusable('the response is not JSON; check the URL of the data access service');
}

const unusable = (message: string) => new UpstreamError(message, { retryable: false });

function requestFor(call: DataAccessCall, { baseUrl, apiKey }: DataAccessHttpOptions) {
  const url = `${baseUrl.replace(/\/+$/, '')}${call.path}`;
  if (call.style === 'legacy') {
    const query = new URLSearchParams({ appid: call.app, apikey: apiKey, ...call.query });
    return { url: `${url}?${query}`, init: { headers: { Accept: 'application/json' } } };
  }
  return {
    url,
    init: {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/json', 'X-Api-Key': apiKey },
      body: JSON.stringify({ app_id: call.app, ...call.body }),
    },
  };
}

/** Milliseconds before attempt `attempt + 1`; `undefined` if there is no further attempt. */
function waitBeforeRetry(error: UpstreamError, attempt: number): number | undefined {
  if (!error.retryable || attempt >= MAX_ATTEMPTS) return undefined;
  const wait = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** (attempt - 1);
  return wait <= MAX_WAIT_MS ? wait : undefined;
}

/** Resolves when the next call may start. Concurrent callers get their turns one after another. */
function pacer(clock: Clock, perSecond: number): () => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = clock.now();
    const turnAt = Math.max(now, nextAt);
    nextAt = turnAt + 1000 / perSecond;
    if (turnAt > now) await clock.sleep(turnAt - now);
  };
}

/**
 * A function that redacts `secret` in a text, in any encoding of its letters: plain, percent-encoded (also repeatedly),
 * form-encoded with a plus, or escaped as in JSON.
 */
export function redactionOf(secret: string): (text: string) => string {
  if (secret === '') return (text) => text;
  const pattern = new RegExp(Array.from(secret, anyWritingOf).join(''), 'giu');
  return (text) => text.replaceAll(pattern, '***');
}

function anyWritingOf(letter: string): string {
  const plain = `\\\\?\\u{${hex(letter.codePointAt(0) ?? 0, 1)}}`;
  const percent = Array.from(Buffer.from(letter), (byte) => `%(?:25)*${hex(byte, 2)}`).join('');
  const escaped = letter
    .split('')
    .map((unit) => `\\\\u${hex(unit.charCodeAt(0), 4)}`)
    .join('');
  return `(?:${[plain, percent, escaped, ...(letter === ' ' ? ['\\+', '%(?:25)*2b'] : [])].join('|')})`;
}

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');

import type { MiddlewareHandler } from 'hono';
import { ConfigError } from '../../../shared/runtime/errors.ts';

const PREFLIGHT_SECONDS = 600;
const READABLE = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After';

/**
 * Allows pages of these origins to read responses in a browser. There is no `*`, because a page needs an API key.
 * @throws ConfigError for a text that is not an origin such as `https://example.com`.
 */
export function allowOrigins(origins: readonly string[]): MiddlewareHandler {
  const allowed = new Set(origins.map(originOf));
  return async (c, next) => {
    const origin = c.req.header('Origin');
    if (allowed.size > 0) c.header('Vary', 'Origin');
    if (origin !== undefined && allowed.has(origin)) {
      c.header('Access-Control-Allow-Origin', origin);
      c.header('Access-Control-Expose-Headers', READABLE);
      if (c.req.method === 'OPTIONS') {
        c.header('Access-Control-Allow-Methods', 'GET, HEAD, POST');
        c.header('Access-Control-Allow-Headers', 'Content-Type, X-Api-Key, X-App-Id, apikey, X-Request-Id');
        c.header('Access-Control-Max-Age', String(PREFLIGHT_SECONDS));
      }
    }
    await next();
  };
}

function originOf(text: string): string {
  if (URL.parse(text)?.origin !== text)
    throw new ConfigError(`"${text}" is not an origin; use the form https://example.com`);
  return text;
}

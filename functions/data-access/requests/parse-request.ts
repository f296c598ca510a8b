import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type * as z from 'zod';
import { faultText } from '../../../shared/contract/query-filters.ts';
import type { ErrorCode, ErrorDetail } from '../../../shared/contract/responses.ts';
import { jsonIn } from '../../../shared/text/json.ts';
import { RequestError } from './request-error.ts';

// Enough to correct a request; a response must not repeat a huge one.
const MAX_DETAILS = 50;
const MAX_NAME_LENGTH = 80;

/**
 * Parses a request with its schema.
 * @throws RequestError 400 with each error and its path.
 */
export function parseRequest<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
  const parsed = schema.safeParse(raw, { error: faultText });
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.flatMap(detailsOf).slice(0, MAX_DETAILS);
  const [first] = details;
  const message = first ? `${first.path || 'body'}: ${first.message}` : 'invalid request';
  // `group_by` at an endpoint that does not accept it is an unknown field, not an invalid group.
  const unknown =
    parsed.error.issues[0]?.code === 'unrecognized_keys' && parsed.error.issues[0].path.length === 0;
  throw new RequestError(unknown ? 'INVALID_REQUEST' : codeOf(first?.path ?? ''), message, details);
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = pathText(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((name) => {
    const key = name.slice(0, MAX_NAME_LENGTH);
    return { path: path === '' ? key : `${path}.${key}`, message: 'unknown field' };
  });
}

/** `['filters', 0, 'operator']` as `filters[0].operator`. */
export const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('');

function codeOf(path: string): ErrorCode {
  if (/(^|\.)filters/.test(path)) return path.endsWith('.operator') ? 'INVALID_OPERATOR' : 'INVALID_FILTER';
  if (path.startsWith('group_by')) return 'INVALID_GROUP_BY';
  if (path.startsWith('aggregation')) return 'INVALID_AGGREGATION';
  return path === 'cursor' ? 'INVALID_CURSOR' : 'INVALID_REQUEST';
}

const JSON_PARAMETERS: ReadonlySet<string> = new Set([
  ...['filters', 'group_by', 'aggregation', 'show_only', 'sort', 'having'],
]);
const NUMBER_PARAMETERS: ReadonlySet<string> = new Set(['page', 'page_size', 'comparison', 'limit']);
const CREDENTIALS: ReadonlySet<string> = new Set(['appid', 'apikey']);

/**
 * Converts a query string to the object that a JSON body would be, without credentials.
 * @throws RequestError 400 for a repeated parameter or invalid JSON.
 */
export function fromQuery(query: URLSearchParams): Record<string, unknown> {
  const seen = new Set<string>();
  for (const name of query.keys()) {
    if (seen.has(name)) throw invalid(name.slice(0, MAX_NAME_LENGTH), 'sent twice');
    seen.add(name);
  }
  const parameters = [...query].filter(([name]) => !CREDENTIALS.has(name));
  return Object.fromEntries(parameters.map(([name, text]) => [name, parameterOf(name, text)]));
}

function parameterOf(name: string, text: string): unknown {
  if (NUMBER_PARAMETERS.has(name)) return /^\d{1,9}$/.test(text) ? Number(text) : text;
  if (!JSON_PARAMETERS.has(name)) return text;
  const value = jsonIn(text);
  if (value === undefined) throw invalid(name, 'not valid JSON');
  return value;
}

function invalid(path: string, message: string): RequestError {
  return new RequestError(codeOf(path), `${path}: ${message}`, [{ path, message }]);
}

const MAX_BODY_BYTES = 256 * 1024;

const limitBody = bodyLimit({
  maxSize: MAX_BODY_BYTES,
  onError: () => {
    throw new RequestError('PAYLOAD_TOO_LARGE', `the body is larger than ${MAX_BODY_BYTES} bytes`);
  },
});

/** The JSON of a body, or what is wrong with it. */
export async function bodyOf(c: Context): Promise<{ json?: unknown; fault?: RequestError }> {
  try {
    return { json: await jsonOf(c) };
  } catch (error) {
    if (error instanceof RequestError) return { fault: error };
    throw error;
  }
}

async function jsonOf(c: Context): Promise<unknown> {
  await limitBody(c, async () => {});
  const mediaType = c.req.header('Content-Type')?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json')
    throw new RequestError('UNSUPPORTED_MEDIA_TYPE', 'send the header Content-Type: application/json');
  const json = jsonIn(textOf(await c.req.arrayBuffer()));
  if (json === undefined) throw new RequestError('INVALID_REQUEST', 'the body is not valid JSON');
  return json;
}

/** Invalid bytes would otherwise become U+FFFD, and a filter with them would match nothing. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RequestError('INVALID_REQUEST', 'the body is not valid UTF-8');
  }
}

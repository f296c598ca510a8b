import type * as z from 'zod';
import type { ErrorCode, ErrorDetail } from '../../shared/analytics/responses.ts';
import { RequestError } from './request-error.ts';

/**
 * Reads a request by its schema.
 * @throws RequestError 400 with every fault and where it is.
 */
export function parseRequest<S extends z.ZodType>(schema: S, raw: unknown): z.output<S> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const details = parsed.error.issues.flatMap(detailsOf);
  const [first] = details;
  const message = first ? `${first.path || 'body'}: ${first.message}` : 'the request cannot be understood';
  // A parameter of another endpoint is an unknown one here, whatever its name.
  const unknown =
    parsed.error.issues[0]?.code === 'unrecognized_keys' && parsed.error.issues[0].path.length === 0;
  throw new RequestError(unknown ? 'INVALID_REQUEST' : codeOf(first?.path ?? ''), message, details);
}

function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = pathText(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  return issue.keys.map((key) => ({
    path: path === '' ? key.slice(0, 80) : `${path}.${key.slice(0, 80)}`,
    message: 'unknown field',
  }));
}

/** `['filters', 0, 'operator']` as `filters[0].operator`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at > 0 ? '.' : ''}${String(step)}`))
    .join('');

function codeOf(path: string): ErrorCode {
  if (path.startsWith('filters')) return path.endsWith('.operator') ? 'INVALID_OPERATOR' : 'INVALID_FILTER';
  if (path.startsWith('group_by')) return 'INVALID_GROUP_BY';
  if (path.startsWith('aggregation')) return 'INVALID_AGGREGATION';
  return path === 'cursor' ? 'INVALID_CURSOR' : 'INVALID_REQUEST';
}

const JSON_PARAMETERS: ReadonlySet<string> = new Set(['filters', 'group_by', 'aggregation']);
const NUMBER_PARAMETERS: ReadonlySet<string> = new Set(['page', 'page_size', 'comparison']);
const CREDENTIALS: ReadonlySet<string> = new Set(['appid', 'apikey']);

/**
 * A query string as the object that a JSON body would have been, without its credentials.
 * @throws RequestError 400 for a parameter given twice or a text that is not JSON.
 */
export function fromQuery(query: Readonly<Record<string, readonly string[]>>): Record<string, unknown> {
  const entries = Object.entries(query).map(([name, [text = '', ...more]]) => {
    if (more.length > 0) throw invalid(name, 'given twice');
    return [name, text] as const;
  });
  return Object.fromEntries(
    entries
      .filter(([name]) => !CREDENTIALS.has(name))
      .map(([name, text]) => {
        if (JSON_PARAMETERS.has(name)) return [name, parseJson(name, text)];
        return [name, NUMBER_PARAMETERS.has(name) && /^\d{1,9}$/.test(text) ? Number(text) : text];
      }),
  );
}

function parseJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(name, 'not JSON');
  }
}

function invalid(path: string, message: string): RequestError {
  return new RequestError(codeOf(path), `${path}: ${message}`, [{ path, message }]);
}

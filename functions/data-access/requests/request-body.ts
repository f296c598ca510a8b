import type { Context } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { parseJson } from './parse-json.ts';
import { RequestError } from './request-error.ts';

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
  const parsed = parseJson(textOf(await c.req.arrayBuffer()));
  if (parsed.kind === 'fault') throw new RequestError('INVALID_REQUEST', `the body is ${parsed.message}`);
  return parsed.value;
}

/** Invalid bytes would otherwise become U+FFFD, and a filter with them would match nothing. */
function textOf(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new RequestError('INVALID_REQUEST', 'the body is not valid UTF-8');
  }
}

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { RequestError as UnreadableError } from '@hono/node-server';
import { RequestError } from '../functions/data-access/requests/request-error.ts';

const UNREADABLE = new RequestError('INVALID_REQUEST', 'this is not a valid HTTP request');
const TOO_LARGE = new RequestError('PAYLOAD_TOO_LARGE', 'the URL and headers are too large');
const FAILED = new RequestError('INTERNAL', 'the service failed');
const TOO_SLOW = new RequestError('INVALID_REQUEST', 'the request timed out');

/** The response to an invalid request, such as one with a bad Host, and to an uncaught error. */
export function answerUnreadable(error: unknown): Response {
  const refused = error instanceof UnreadableError ? UNREADABLE : FAILED;
  return Response.json(refused.body(), { status: refused.status });
}

/** Answers input that is not HTTP, too large or too slow. There is no request, so it writes to the socket. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) socket.destroy();
  else socket.end(httpOf(refusalFor(error.code)), () => socket.destroy());
}

function refusalFor(code: string | undefined): RequestError {
  if (code === 'HPE_HEADER_OVERFLOW') return TOO_LARGE;
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' ? TOO_SLOW : UNREADABLE;
}

function httpOf(refused: RequestError): string {
  const body = JSON.stringify(refused.body());
  return [
    `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

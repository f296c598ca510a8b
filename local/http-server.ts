import { randomUUID } from 'node:crypto';
import { createServer, type Server, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RequestError } from '../functions/data-access/requests/request-error.ts';
import { ConfigError } from '../shared/runtime/errors.ts';

export interface HttpServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Refuses new connections, and closes running requests after `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface Listening {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

type Handle = (request: Request, env: HttpBindings) => Response | Promise<Response>;

/** The URL of a legacy request contains its filters. The service itself refuses longer ones. */
const MAX_HEADER_BYTES = 64 * 1024;

const SERVER_OPTIONS = {
  maxHeaderSize: MAX_HEADER_BYTES,
  // Node would answer without the form of the service.
  requireHostHeader: false,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Above the 60 s of common load balancers: they could send a request on a connection that is closing.
  keepAliveTimeout: 65_000,
};

/** @throws ConfigError if the port or host cannot be used. */
export async function listen(handle: Handle, { host, port }: Listening): Promise<HttpServer> {
  let closing = false;
  const fetch = async (request: Request, env: unknown) => {
    const response = await handle(request, env as HttpBindings);
    if (closing) response.headers.set('Connection', 'close');
    return response;
  };
  const server = createServer(SERVER_OPTIONS, getRequestListener(fetch, { hostname: host }));
  server.on('clientError', refuseUnread);
  await new Promise<void>((resolve, reject) => {
    server.on('error', (cause: NodeJS.ErrnoException) => reject(refusal(cause, { host, port })));
    server.listen(port, host, resolve);
  });
  // Another kind of address is only that of a socket file.
  const { port: used } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${used}`,
    close(graceMs) {
      closing = true;
      return closed(server, graceMs);
    },
  };
}

/** Node would answer a request that it cannot read without a body. */
function refuseUnread({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const error =
    code === 'HPE_HEADER_OVERFLOW'
      ? new RequestError('PAYLOAD_TOO_LARGE', `URL and headers are larger than ${MAX_HEADER_BYTES} bytes`)
      : new RequestError('INVALID_REQUEST', 'the request is not valid HTTP, or did not arrive in time');
  const body = JSON.stringify(error.body());
  const headers = ['Connection: close', 'Content-Type: application/json', `X-Request-Id: ${randomUUID()}`];
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      ...headers,
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
}

function refusal(cause: NodeJS.ErrnoException, { host, port }: Listening): Error {
  if (cause.code === 'EADDRINUSE')
    return new ConfigError(`port ${port} is in use: choose another with --port`, { cause });
  if (cause.code === 'EACCES')
    return new ConfigError(`port ${port} requires administrator rights: choose one above 1023 with --port`, {
      cause,
    });
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND')
    return new ConfigError(`${host} is not an address of this machine`, { cause });
  return cause;
}

function closed(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

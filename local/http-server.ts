import { createServer, type Server } from 'node:http';
import { getRequestListener } from '@hono/node-server';
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

type Handle = (request: Request) => Response | Promise<Response>;

const SERVER_OPTIONS = {
  // The URL of a legacy request contains its filters. The service itself refuses longer ones.
  maxHeaderSize: 64 * 1024,
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
  const fetch = async (request: Request) => {
    const response = await handle(request);
    if (closing) response.headers.set('Connection', 'close');
    return response;
  };
  const server = createServer(SERVER_OPTIONS, getRequestListener(fetch, { hostname: host }));
  await new Promise<void>((resolve, reject) => {
    server.on('error', (cause: NodeJS.ErrnoException) => reject(refusal(cause, { host, port })));
    server.listen(port, host, resolve);
  });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${portOf(server)}`,
    close(graceMs) {
      closing = true;
      return closed(server, graceMs);
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new TypeError('the server has no port');
  return address.port;
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

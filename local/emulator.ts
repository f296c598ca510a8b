import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import dynalite from 'dynalite';

export interface Emulator {
  /** The Unix socket that it listens on, in a folder that only this user may enter. */
  socketPath: string;
  /** Answers the requests that it has received, refuses all others, and closes its store. */
  close(): Promise<void>;
}

/**
 * A DynamoDB emulator inside this process, whose store is kept in `folder`, or in memory without one. It checks no
 * signature, so it has no port: a website that this machine has open could send requests to one.
 */
export async function startEmulator(folder?: string): Promise<Emulator> {
  const server = dynalite({ createTableMs: 0, ...(folder !== undefined && { path: folder }) });
  // A connection that the server closes for being idle resets the request that is on its way.
  server.keepAliveTimeout = 0;
  const drain = guard(server);
  // The path of a socket holds 104 bytes on some systems, and that of the store may be longer.
  const place = await mkdtemp(join(tmpdir(), 'deltawatch-'));
  const socketPath = join(place, 'table.sock');
  server.listen(socketPath);
  await once(server, 'listening');
  return {
    socketPath,
    async close() {
      await drain();
      await closed(server);
      await rm(place, { recursive: true, force: true });
    },
  };
}

/**
 * Keeps the emulator from ending this process. Its errors cannot be caught when a client hangs up during a
 * request, and when a request finds the store closed. Returns a function that refuses further requests and
 * resolves when none is running.
 */
function guard(server: Server): () => Promise<void> {
  const open = new Map<ServerResponse, IncomingMessage>();
  let isClosing = false;
  const handlers = server.listeners('request');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isClosing) return void request.destroy();
    for (const [each] of open) if (each.writableEnded) open.delete(each);
    open.set(response, request);
    for (const handle of handlers) handle.call(server, request, response);
    request.removeAllListeners('error');
    request.on('error', () => open.delete(response));
  });
  return async () => {
    isClosing = true;
    // The emulator begins to work on a request when all of it has arrived.
    for (const [response, request] of open) {
      if (request.complete) continue;
      request.destroy();
      open.delete(response);
    }
    // An answer to a client that hung up emits no event.
    while ([...open.keys()].some((response) => !response.writableEnded)) await setImmediate();
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
  });
}

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

export interface Emulator {
  /** Path of its Unix socket, in a folder that only this user can open. */
  socketPath: string;
  /** Refuses new requests, finishes the running ones, and closes the store. */
  close(): Promise<void>;
}

/**
 * Starts a DynamoDB emulator in this process. It stores data in `folder`, by default in memory. It uses a socket
 * without a port, because it checks no signatures: websites in a browser could send requests to a port.
 */
export async function startEmulator(folder?: string): Promise<Emulator> {
  const { default: dynalite } = await import('dynalite');
  const server = dynalite({ createTableMs: 0, ...(folder !== undefined && { path: folder }) });
  // Closing an idle connection would reset a request that was just sent.
  server.keepAliveTimeout = 0;
  const drain = guard(server);
  // Some systems limit socket paths to 104 bytes. The path of the store may be longer.
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
 * Prevents uncaught errors of the emulator: it throws when a client disconnects during a request, and when the
 * store is closed. Returns a function that refuses further requests and resolves when all running ones are done.
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
    // The emulator starts on a request once it is complete.
    for (const [response, request] of open) {
      if (request.complete) continue;
      request.destroy();
      open.delete(response);
    }
    // A response to a disconnected client emits no event.
    while ([...open.keys()].some((response) => !response.writableEnded)) await setImmediate();
  };
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
  });
}

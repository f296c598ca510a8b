import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { PostgresClient } from '../../../../functions/data-access/engines/postgres.ts';
import { connectPostgres } from '../../../../functions/data-access/engines/postgres-client.ts';
import { postgresServer } from './postgres-server.ts';

let client: PostgresClient | undefined;
afterEach(() => client?.close());

const NEVER = new AbortController().signal;
const LONG = { signal: NEVER, timeoutMs: 60_000 };

// Without a listener for its error, a connection ends the process.
test('a connection that drops during a query fails this query, and the next one has a new connection', async () => {
  let dropped = false;
  await using server = await postgresServer({
    query: (socket, reply) => {
      if (dropped) return reply();
      dropped = true;
      socket.resetAndDestroy();
    },
  });
  client = await connectPostgres({ url: server.url, connections: 1 });
  await expect(client.run('select 1', [], LONG)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect((await client.run('select 1', [], LONG)).rows).toEqual([['1']]);
});

test('a cancellation whose connection drops changes nothing', async () => {
  const caller = new AbortController();
  const sockets: Socket[] = [];
  await using server = await postgresServer({
    query: (socket) => {
      sockets.push(socket);
      if (sockets.length === 1) return caller.abort(new Error('left'));
      for (const each of sockets) each.resetAndDestroy();
    },
  });
  client = await connectPostgres({ url: server.url, connections: 1 });
  const asked = client.run('select 1', [], { ...LONG, signal: caller.signal });
  await expect(asked).rejects.toThrow();
  await expect.poll(() => [sockets.length, server.open()]).toEqual([2, 0]);
});

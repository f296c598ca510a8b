import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { connectPostgres } from '../../../../../functions/data-access/engines/postgres/client.ts';
import type { PostgresClient } from '../../../../../functions/data-access/engines/postgres/engine.ts';
import { postgresServer, type Stage } from '../postgres-server.ts';

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

test('a connection that is not kept ends with its statement', async () => {
  let connects = 0;
  await using server = await postgresServer({
    connect: (_socket, reply) => {
      connects += 1;
      reply();
    },
  });
  client = await connectPostgres({ url: server.url, connections: 1, keepsIdle: false });
  for (const _ of [1, 2]) expect((await client.run('select 1', [], LONG)).rows).toEqual([['1']]);
  expect(connects).toBe(2);
  await expect.poll(server.open).toBe(0);
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

describe('limits', () => {
  const LIMITS = { connectMs: 60_000, cancelMs: 50, graceMs: 20 };
  const STAGES = ['connect', 'begin', 'query'] satisfies Stage[];

  test.each(STAGES)(
    'a server that does not answer at %s fails a query soon after its limit',
    async (stage) => {
      await using server = await postgresServer({ [stage]: () => {} });
      client = await connectPostgres({ url: server.url, connections: 1 }, { ...LIMITS, connectMs: 500 });
      await expect(client.run('select 1', [], { signal: NEVER, timeoutMs: 20 })).rejects.toMatchObject({
        name: 'UpstreamError',
        message: 'PostgreSQL did not answer in time',
        retryable: true,
      });
      await expect.poll(server.open).toBe(0);
    },
  );

  test.each(STAGES)('a caller leaves a server that does not answer at %s', async (stage) => {
    const caller = new AbortController();
    const left = new Error('left');
    await using server = await postgresServer({ [stage]: () => caller.abort(left) });
    client = await connectPostgres({ url: server.url, connections: 1 }, { ...LIMITS, connectMs: 500 });
    const asked = client.run('select 1', [], { ...LONG, signal: caller.signal });
    await expect(asked).rejects.toBe(left);
    await expect.poll(server.open).toBe(0);
  });

  test('a wait for a free connection may last longer than a connection, up to the limit of the query', async () => {
    const held: (() => void)[] = [];
    await using server = await postgresServer({ query: (_socket, reply) => void held.push(reply) });
    const limits = { ...LIMITS, connectMs: 500 };
    client = await connectPostgres({ url: server.url, connections: 1 }, limits);
    const first = client.run('select 1', [], LONG);
    const second = client.run('select 1', [], LONG);
    const impatient = client.run('select 1', [], { signal: NEVER, timeoutMs: 2 * limits.connectMs });
    await expect(impatient).rejects.toMatchObject({
      name: 'BusyError',
      message: 'no connection within the time limit',
    });
    expect(held).toHaveLength(1);
    held[0]?.();
    expect((await first).rows).toEqual([['1']]);
    await expect.poll(() => held.length).toBe(2);
    held[1]?.();
    expect((await second).rows).toEqual([['1']]);
    expect(server.open()).toBe(1);
  });

  test('a caller who waits for a free connection can leave', async () => {
    const held: (() => void)[] = [];
    await using server = await postgresServer({ query: (_socket, reply) => void held.push(reply) });
    client = await connectPostgres({ url: server.url, connections: 1 });
    const caller = new AbortController();
    const left = new Error('left');
    const first = client.run('select 1', [], LONG);
    const second = client.run('select 1', [], { ...LONG, signal: caller.signal });
    caller.abort(left);
    await expect(second).rejects.toBe(left);
    await expect.poll(() => held.length).toBe(1);
    held[0]?.();
    expect((await first).rows).toEqual([['1']]);
  });
});

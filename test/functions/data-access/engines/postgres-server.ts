import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** What a client asks for: a connection, its transaction, or the one row of a statement. */
export type Stage = 'connect' | 'begin' | 'query';

/** By default each stage is answered at once. */
export type Stages = Partial<Record<Stage, (socket: Socket, reply: () => void) => void>>;

export interface PostgresServer extends AsyncDisposable {
  readonly url: string;
  /** The number of open connections. */
  readonly open: () => number;
}

/** Speaks the protocol of PostgreSQL on a free loopback port. Each statement has the row `1`. */
export async function postgresServer(stages: Stages = {}): Promise<PostgresServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    const at = (stage: Stage, answer: Buffer) => {
      const reply = () => void socket.write(answer);
      const handle = stages[stage] ?? (() => reply());
      handle(socket, reply);
    };
    let started = false;
    let rest = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (;;) {
        // Only the first message has no type.
        const header = started ? 1 : 0;
        if (rest.length < header + 4) return;
        const end = header + rest.readInt32BE(header);
        if (rest.length < end) return;
        const message = rest.subarray(0, end).toString('latin1');
        rest = rest.subarray(end);
        if (!started) at('connect', STARTED);
        else if (message.startsWith('Q')) at('begin', message.includes('begin') ? BEGAN : COMMITTED);
        else if (message.startsWith('S')) at('query', ANSWERED);
        started = true;
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `postgres://team@127.0.0.1:${port}/team`,
    open: () => sockets.size,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function message(type: string, ...parts: readonly (string | number[])[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const INT4 = 23;
const ROW = [
  message(
    'T',
    [0, 1],
    'pg_backend_pid\0',
    [0, 0, 0, 0, 0, 0],
    [0, 0, 0, INT4, 0, 4, 255, 255, 255, 255, 0, 0],
  ),
  message('D', [0, 1, 0, 0, 0, 1], '1'),
  message('C', 'SELECT 1\0'),
];
const STARTED = Buffer.concat([message('R', [0, 0, 0, 0]), message('Z', 'I')]);
const BEGAN = Buffer.concat([...ROW, message('Z', 'T')]);
const COMMITTED = Buffer.concat([message('C', 'COMMIT\0'), message('Z', 'I')]);
const ANSWERED = Buffer.concat([message('1'), message('2'), ...ROW, message('Z', 'T')]);

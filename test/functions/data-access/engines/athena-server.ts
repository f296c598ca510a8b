import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}
/** A reply of Athena: a body or a named error. */
export type Reply = object | { readonly error: string; readonly status: number };

/** A fake Athena server on loopback, which sends given replies and records its calls. */
export class AthenaServer {
  readonly calls: Call[] = [];
  readonly #server: Server;
  #reply: (call: Call) => Reply = () => ({});

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<AthenaServer> {
    const server = createServer(async (request, response) => {
      const operation = String(request.headers['x-amz-target']).replace('AmazonAthena.', '');
      const call = { operation, input: JSON.parse(Buffer.concat(await request.toArray()).toString()) };
      athena.calls.push(call);
      const reply = athena.#reply(call);
      if ('error' in reply) response.statusCode = Number('status' in reply ? reply.status : 400);
      response.setHeader('x-amzn-requestid', 'request-1');
      response.end(
        JSON.stringify('error' in reply ? { __type: reply.error, message: 'near SELECT secret' } : reply),
      );
    });
    const athena = new AthenaServer(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return athena;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the replies and clears the recorded calls. */
  replies(reply: (call: Call) => Reply): void {
    this.#reply = reply;
    this.calls.length = 0;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

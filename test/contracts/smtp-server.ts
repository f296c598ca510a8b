import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as it arrived: parsed, and its source. */
interface Arrived {
  to: string[];
  mail: Email;
  source: string;
}

export interface LoopbackSmtp extends AsyncDisposable {
  port: number;
  arrived: Arrived[];
  /** Failures of the next mails: a code of SMTP, no connection or no answer. */
  troubles: (number | 'cut' | 'silence')[];
}

/** A real SMTP server on loopback. Without `options` it has no TLS and no login. */
export async function startSmtpServer(options: SMTPServerOptions = {}): Promise<LoopbackSmtp> {
  const arrived: Arrived[] = [];
  const troubles: LoopbackSmtp['troubles'] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 10,
    ...options,
    async onData(stream, session, done) {
      const source = await buffer(stream);
      const trouble = troubles.shift();
      if (trouble === 'silence') return;
      if (trouble === 'cut') {
        for (const connection of server.connections) connection.close();
        return;
      }
      if (trouble !== undefined)
        return done(Object.assign(new Error('no xoxkey'), { responseCode: trouble }));
      const to = session.envelope.rcptTo.map(({ address }) => address);
      arrived.push({ to, mail: await PostalMime.parse(source), source: source.toString() });
      done(null);
    },
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    arrived,
    troubles,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

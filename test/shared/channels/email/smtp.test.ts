import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { smtpMailer } from '../../../../shared/channels/email/smtp.ts';
import { ConfigError } from '../../../../shared/runtime/errors.ts';
import { startSmtpServer } from '../../../contracts/smtp-server.ts';
import { LOOPBACK_TLS } from '../../../fixtures/loopback-tls.ts';

const before = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...before, LOOPBACK_TLS.cert]));
afterAll(() => setDefaultCACertificates(before));

const MAIL = { from: 'alerts@example.com', to: ['team@example.com', 'gone@example.com'], text: 'hello' };
/** As it is, and as it is written in a URL. */
const PASSWORD = ['p@ss/xoxkey', 'p%40ss%2Fxoxkey'] as const;

/** Sends one mail to a server with `options`. Records the passwords that it received and the warnings. */
async function sendTo(options: SMTPServerOptions, urlOf: (port: number) => string) {
  const passwords: unknown[] = [];
  const warnings: unknown[] = [];
  await using server = await startSmtpServer({
    onAuth({ password }, _session, done) {
      passwords.push(password);
      if (password === PASSWORD[0]) done(null, { user: 'anna' });
      else done(Object.assign(new Error(`no ${password}`), { responseCode: 535 }));
    },
    ...options,
  });
  const logger = { warn: (_: string, about?: object) => void warnings.push(about) };
  const mailer = smtpMailer({ url: urlOf(server.port), logger });
  const result = await mailer.send(MAIL);
  return { result, passwords, warnings, arrived: server.arrived.map(({ to }) => to) };
}

const TLS = { ...LOOPBACK_TLS, authOptional: false };

test.each<[string, SMTPServerOptions, (port: number) => string]>([
  ['from the start', { ...TLS, secure: true }, (port) => `smtps://anna:${PASSWORD[1]}@127.0.0.1:${port}`],
  [
    'with STARTTLS',
    { ...TLS, disabledCommands: [] },
    (port) => `smtp://anna:${PASSWORD[1]}@127.0.0.1:${port}`,
  ],
])('logs in over TLS %s', async (_, options, urlOf) => {
  const { result, passwords, arrived } = await sendTo(options, urlOf);
  expect({ result, passwords }).toEqual({ result: { kind: 'sent' }, passwords: [PASSWORD[0]] });
  expect(arrived).toEqual([MAIL.to]);
});

test('never sends a password without TLS', async () => {
  const { result, passwords } = await sendTo(
    { allowInsecureAuth: true },
    (port) => `smtp://anna:${PASSWORD[1]}@127.0.0.1:${port}`,
  );
  expect(result).toMatchObject({ permanent: true, reason: expect.stringContaining('no TLS') });
  expect(passwords).toEqual([]);
});

test('never sends a password to a server with an unknown certificate', async () => {
  // The certificate that comes with the server expired and is for another host.
  const { result, passwords } = await sendTo(
    { disabledCommands: [], authOptional: false },
    (port) => `smtp://anna:${PASSWORD[1]}@127.0.0.1:${port}`,
  );
  expect(result).toMatchObject({ permanent: true, reason: expect.stringContaining('valid certificate') });
  expect(passwords).toEqual([]);
});

test('a refused password is permanent and not repeated', async () => {
  const { result } = await sendTo(
    { ...TLS, secure: true },
    (port) => `smtps://anna:wrong-xoxkey@127.0.0.1:${port}`,
  );
  expect(result).toEqual({
    kind: 'refused',
    permanent: true,
    reason: 'the SMTP server refused the user or password (535): check its secret',
  });
});

test('a mail that is refused for some recipients is sent to the others once, and the log has no address', async () => {
  const onRcptTo: SMTPServerOptions['onRcptTo'] = ({ address }, _session, done) =>
    done(address.startsWith('gone') ? Object.assign(new Error('no'), { responseCode: 550 }) : null);
  const { result, warnings, arrived } = await sendTo({ onRcptTo }, (port) => `smtp://127.0.0.1:${port}`);
  expect({ result, arrived }).toEqual({ result: { kind: 'sent' }, arrived: [['team@example.com']] });
  expect(warnings).toEqual([{ refused: [{ recipient: 2, code: 550 }] }]);
});

test('a server that nobody runs can be reached later', async () => {
  const { port } = await startSmtpServer().then(async (server) => {
    await server[Symbol.asyncDispose]();
    return server;
  });
  const mailer = smtpMailer({ url: `smtp://127.0.0.1:${port}`, logger: { warn: () => {} } });
  expect(await mailer.send(MAIL)).toEqual({
    kind: 'refused',
    permanent: false,
    reason: 'the SMTP server cannot be reached (ECONNREFUSED)',
  });
});

test.each(['', 'smtp.example.com', 'https://smtp.example.com', 'smtp://', 'smtp://a:%zz@smtp.example.com'])(
  'refuses the secret "%s" without repeating it',
  (url) => {
    const make = () => smtpMailer({ url, logger: { warn: () => {} } });
    expect(make).toThrow(ConfigError);
    expect(make).toThrow(/^the SMTP secret must be a URL such as smtps:\/\/user:password@/);
  },
);

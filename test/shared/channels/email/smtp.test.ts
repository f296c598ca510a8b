import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
async function sendTo(options: SMTPServerOptions, urlOf: (port: number) => string, to = MAIL.to) {
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
  const result = await mailer.send({ ...MAIL, to });
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

describe('a mail that is refused for some recipients', () => {
  /** `codes`: with which the second recipient is refused, in turn. */
  async function refusing(...codes: number[]) {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = ({ address }, _session, done) => {
      const responseCode = address.startsWith('gone') ? codes.shift() : undefined;
      done(responseCode === undefined ? null : Object.assign(new Error('no'), { responseCode }));
    };
    return sendTo({ onRcptTo }, (port) => `smtp://127.0.0.1:${port}`);
  }
  const [team, gone] = [['team@example.com'], ['gone@example.com']];

  test('permanently is sent to the others once, and the log has its place instead of its address', async () => {
    const { result, warnings, arrived } = await refusing(550);
    expect({ result, arrived }).toEqual({ result: { kind: 'sent' }, arrived: [team] });
    expect(warnings).toEqual([{ refused: [{ recipient: 2, code: 550 }] }]);
  });

  test('for now is sent again, to these only', async () => {
    const { result, warnings, arrived } = await refusing(452);
    expect({ result, warnings, arrived }).toEqual({
      ...{ result: { kind: 'sent' }, warnings: [] },
      arrived: [team, gone],
    });
  });

  test('for now twice is sent to the others once, with a warning', async () => {
    const { result, warnings, arrived } = await refusing(450, 450);
    expect({ result, arrived }).toEqual({ result: { kind: 'sent' }, arrived: [team] });
    expect(warnings).toEqual([{ refused: [{ recipient: 2, code: 450 }] }]);
  });

  test('reaches all recipients of a server that accepts one at a time', async () => {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = (_, { envelope }, done) =>
      done(envelope.rcptTo.length > 0 ? Object.assign(new Error('no'), { responseCode: 452 }) : null);
    const { warnings, arrived } = await sendTo({ onRcptTo }, (port) => `smtp://127.0.0.1:${port}`, [
      ...[...MAIL.to, 'third@example.com'],
    ]);
    expect({ warnings, arrived }).toEqual({ warnings: [], arrived: [team, gone, ['third@example.com']] });
  });
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

import { createEmailChannel, sesMailer } from '../../shared/channels/email/channel.ts';
import type { Mailer } from '../../shared/channels/email/mail.ts';
import { smtpMailer } from '../../shared/channels/email/smtp.ts';
import type { Channel } from '../../shared/messages/channel.ts';
import { ManualClock } from '../../shared/runtime/clock.ts';
import { AWS_REFUSALS, type Open, type Trouble } from './receivers.ts';
import { NOW } from './samples.ts';
import { startSesServer } from './ses-server.ts';
import { startSmtpServer } from './smtp-server.ts';

const SILENT = { warn: () => {} };
const NO_PICTURES: typeof fetch = async () => new Response(null, { status: 404 });

const channelWith = (mailer: Mailer): Channel =>
  createEmailChannel({
    from: 'alerts@example.com',
    to: ['team@example.com', 'anna@example.com'],
    mailer,
    clock: new ManualClock(NOW),
    logger: SILENT,
    fetch: NO_PICTURES,
  });

/** The text of a mail up to its first alert. */
const firstOf = (text = '') => text.split('\n\n')[0] ?? '';

const SMTP_REFUSALS = { busy: 421, down: 451, gone: 550, cut: 'cut', silence: 'silence' } as const;

export const openSmtp: Open = async (timeoutMs = 60_000) => {
  const server = await startSmtpServer();
  return {
    channel: channelWith(smtpMailer({ url: `smtp://127.0.0.1:${server.port}`, logger: SILENT, timeoutMs })),
    next: (trouble: Trouble) => void server.troubles.push(SMTP_REFUSALS[trouble]),
    received: () => server.arrived.map(({ mail }) => firstOf(mail.text)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

export const openSes: Open = async (timeoutMs = 60_000) => {
  const server = await startSesServer(timeoutMs);
  return {
    channel: channelWith(sesMailer(server.config)),
    next: (trouble: Trouble) => void server.troubles.push(AWS_REFUSALS[trouble]),
    received: () => server.arrived.map(({ mail }) => firstOf(mail.text)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
};

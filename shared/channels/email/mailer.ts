import type { SendMailOptions } from 'nodemailer';
import type { SendResult } from '../../messages/channel.ts';

/** Sends composed mail. */
export interface Mailer {
  send(mail: SendMailOptions): Promise<SendResult>;
}

/** Mail holds text of users: it must not make the composer read files or addresses. */
export const NO_OUTSIDE_CONTENT = { disableFileAccess: true, disableUrlAccess: true } as const;

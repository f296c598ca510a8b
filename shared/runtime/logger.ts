import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger';
import { redacted } from './redaction.ts';

type Fields = Record<string, unknown>;

/** Logs for operators: a message, and fields with figures. An error goes into the field `error`. */
export interface Logger {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

/** One JSON line per entry, for CloudWatch Logs. Credentials are redacted. */
export function createLogger(service: string): Logger {
  const powertools = new PowertoolsLogger({ serviceName: service, jsonReplacerFn: redacted });
  return {
    info: (message, fields = {}) => powertools.info(message, fields),
    warn: (message, fields = {}) => powertools.warn(message, fields),
    error: (message, fields = {}) => powertools.error(message, fields),
  };
}

/** Logs an error of `work` with its causes and rethrows it, so that retries and alarms still happen. */
export async function loggingFailure<T>(logger: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    logger.error('failed', { error });
    throw error;
  }
}

import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger';
import { redacted } from './redaction.ts';

type Fields = Record<string, unknown>;

/** Says what happened to whoever operates this: a sentence, and figures beside it. An error goes into the field `error`. */
export interface Logger {
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

/** One JSON line per entry, as CloudWatch Logs takes them, without credentials. */
export function createLogger(service: string): Logger {
  const powertools = new PowertoolsLogger({ serviceName: service, jsonReplacerFn: redacted });
  return {
    info: (message, fields = {}) => powertools.info(message, fields),
    warn: (message, fields = {}) => powertools.warn(message, fields),
    error: (message, fields = {}) => powertools.error(message, fields),
  };
}

/** Logs what `work` throws, with its causes, and lets it go on: so that the retry and then the alarm happen. */
export async function loggingFailure<T>(logger: Logger, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    logger.error('failed', { error });
    throw error;
  }
}

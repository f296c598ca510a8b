import { systemClock } from './clock.ts';
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
  const at = (level: string) => (message: string, fields?: Fields) => {
    const timestamp = new Date(systemClock.now()).toISOString();
    const entry = { level, message, timestamp, service, ...fields };
    process.stdout.write(`${JSON.stringify(entry, (name, value) => redacted(name, readable(value)))}\n`);
  };
  return { info: at('INFO'), warn: at('WARN'), error: at('ERROR') };
}

/** The fields of an error that JSON would leave out. */
function readable(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { ...value, name, message, stack, cause };
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

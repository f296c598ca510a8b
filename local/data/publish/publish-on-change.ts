import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ConflictError, isErrorCode, UpstreamError } from '../../../shared/runtime/errors.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';

const LOOK_MS = 1000;
const RETRY_MS = 30_000;

/**
 * Publishes now and after each import into the data file, until the signal. A running publication is completed.
 * Retries after a failure that can pass; throws any other one.
 */
export async function publishOnChange(options: {
  dataFile: string;
  publish: () => Promise<unknown>;
  signal: AbortSignal;
  logger: Logger;
  lookMs?: number;
  retryMs?: number;
}): Promise<void> {
  const { dataFile, publish, signal, logger, lookMs = LOOK_MS, retryMs = RETRY_MS } = options;
  let published: string | undefined;
  while (!signal.aborted) {
    // Before the publication: an import in the meantime may or may not be part of it.
    const version = await versionOf(dataFile);
    let pauseMs = lookMs;
    if (version !== published)
      try {
        await publish();
        published = version;
      } catch (error) {
        if (!canPass(error)) throw error;
        logger.error(`publishing failed; retrying in ${retryMs / 1000} s`, { error });
        pauseMs = retryMs;
      }
    await delay(pauseMs, undefined, { signal }).catch(() => {});
  }
}

const canPass = (error: unknown): boolean =>
  error instanceof ConflictError || (error instanceof UpstreamError && error.retryable);

/** Changes with each import, which replaces the file. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    return `${ino}-${mtimeNs}`;
  } catch (error) {
    if (isErrorCode(error, 'ENOENT')) return 'missing';
    throw error;
  }
}

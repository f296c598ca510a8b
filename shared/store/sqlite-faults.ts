import { ConfigError, UpstreamError } from '../runtime/errors.ts';

const BUSY = 5;
const DAMAGED =
  'it is damaged; restore it from a backup, or delete it and ticks.json beside it to replay the data again';
/** What is wrong, and what to do, by the primary result code of SQLite. */
const FAULTS: Readonly<Record<number, string>> = {
  [BUSY]: 'another process has written to it for too long; try again',
  8: 'this user may not write it and its folder; change their rights',
  10: 'the disk is full or fails; free some space, or check the disk',
  11: DAMAGED,
  13: 'the disk is full; free some space',
  14: 'it is no file that this user may read and write; move it away, or change its rights',
  26: DAMAGED,
};

export const damagedTable = (path: string, cause: unknown): ConfigError =>
  new ConfigError(sentence(path, DAMAGED), { cause });

/** Not a damage that skips one rule: every write would be lost when this process ends. */
export const goneTable = (path: string): UpstreamError =>
  new UpstreamError(
    sentence(
      path,
      'it was deleted or replaced while it is in use; stop this process, and restore it from a backup',
    ),
    { retryable: true },
  );

/** Its primary result code: the higher bits are details. */
function codeOf(error: unknown): number | undefined {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined;
}

export const isBusy = (error: unknown): boolean => codeOf(error) === BUSY;

/** An error of SQLite as what is wrong and what to do; any other error as it is. */
export function queryFailure(path: string, cause: unknown): unknown {
  const code = codeOf(cause);
  if (!(cause instanceof Error) || code === undefined) return cause;
  const fault = FAULTS[code] ?? cause.message;
  return new UpstreamError(sentence(path, fault), { retryable: fault !== DAMAGED, cause });
}

/** The same for the opening of a file, which no retry heals. */
export function openFailure(path: string, cause: unknown): unknown {
  const failure = queryFailure(path, cause);
  return failure instanceof UpstreamError ? new ConfigError(failure.message, { cause }) : failure;
}

function sentence(path: string, fault: string): string {
  return `the table ${path} cannot be used: ${fault}`;
}

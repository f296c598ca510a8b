import { ConfigError } from '../../shared/runtime/errors.ts';

/** The message for a file that cannot be read; rethrows errors that are not of the file system. */
export function fileProblem(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  const said =
    error.code === 'ENOENT' ? 'there is no such file' : `cannot be read or written (${String(error.code)})`;
  return new ConfigError(`${file}: ${said}`, { cause: error });
}

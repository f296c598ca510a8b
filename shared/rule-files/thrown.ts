/** An error that can be sent between threads. */
export interface Thrown {
  /** The code of a Node error; empty if there is none. */
  code: string;
  message: string;
  stack: string;
}

export function thrownOf(error: unknown): Thrown {
  if (!(error instanceof Error)) return { code: '', message: String(error), stack: '' };
  const code = 'code' in error ? String(error.code) : '';
  return { code, message: error.message, stack: error.stack ?? '' };
}

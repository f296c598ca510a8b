/** How a shell tells that a signal ended a command: 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

let stop: AbortController | undefined;

/**
 * Aborts when somebody presses Ctrl-C or the process is told to stop: whoever asks for it sees to it that the command
 * ends soon and leaves nothing half done. The second time ends the process at once. A command that never asks ends at
 * the first.
 */
export function interruption(): AbortSignal {
  if (stop) return stop.signal;
  const begun = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => begun.abort(name));
  stop = begun;
  return begun.signal;
}

/** What an interrupted command exits with; `undefined` where nobody interrupted it. */
export function interruptedCode(): number | undefined {
  if (!stop?.signal.aborted) return undefined;
  return stop.signal.reason === 'SIGTERM' ? EXIT_CODES.SIGTERM : EXIT_CODES.SIGINT;
}

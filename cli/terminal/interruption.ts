/** Exit code of a command ended by a signal: 128 plus the signal's number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

let stop: AbortController | undefined;

/**
 * Aborts on Ctrl-C or SIGTERM; a caller must then end soon with nothing half done. A second signal ends the
 * process at once, as does the first for commands that never call this.
 */
export function interruption(): AbortSignal {
  if (stop) return stop.signal;
  const begun = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => begun.abort(name));
  stop = begun;
  return begun.signal;
}

/** Exit code of an interrupted command; `undefined` if it was not interrupted. */
export function interruptedCode(): number | undefined {
  if (!stop?.signal.aborted) return undefined;
  return stop.signal.reason === 'SIGTERM' ? EXIT_CODES.SIGTERM : EXIT_CODES.SIGINT;
}

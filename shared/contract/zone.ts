/** Whether `name` is an IANA time zone that this machine knows. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** A word of an IANA zone name: "Kolkata", "DumontDUrville", "US", "EST5EDT", the "of" of "Isle_of_Man". */
const WORD = /^(?:[A-Z]{1,3}(?:[0-9][A-Z]{3}|0)?|CHAT|[A-Z][a-z]+(?:[A-Z][A-Za-z]+)?|es|of|au)$/;

/**
 * The IANA spelling of a time zone in any letter case, for services that are strict. `undefined` if it is not a zone,
 * such as "+02:00". The runtime only knows the spelling of zones, not of links ("US/Pacific"): a link in the form of
 * IANA names stays as it is, and one in another spelling becomes its target.
 */
export function spellingOfZone(name: string): string | undefined {
  if (spelledRight.has(name)) return name;
  const spelling = askedSpelling(name);
  if (spelling === name) spelledRight.add(name);
  return spelling;
}

// Cached, because asking the runtime is the slowest part of reading a rule. Only valid names: there are some hundreds.
const spelledRight = new Set<string>();

function askedSpelling(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name) || !isZone(name)) return undefined;
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  const isLink = timeZone.toLowerCase() !== name.toLowerCase();
  return isLink && name.split(/[/_-]/).every((word) => WORD.test(word)) ? name : timeZone;
}

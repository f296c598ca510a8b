/** Whether `name` is an IANA time zone that this machine knows. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** A word of a zone's name as IANA writes them: "Kolkata", "DumontDUrville", "US", "EST5EDT", the "of" of "Isle_of_Man". */
const WORD = /^(?:[A-Z]{1,3}(?:[0-9][A-Z]{3}|0)?|CHAT|[A-Z][a-z]+(?:[A-Z][A-Za-z]+)?|es|of|au)$/;

/**
 * How an IANA time zone is spelled that this machine knows in any case, for services that are strict; `undefined` of
 * what is none, as "+02:00" is. Of a link in another spelling it is the zone that it leads to: only of zones does the
 * machine tell the spelling, so links ("Asia/Kolkata", "US/Pacific") go by their form.
 */
export function spellingOfZone(name: string): string | undefined {
  if (spelledRight.has(name)) return name;
  const spelling = askedSpelling(name);
  if (spelling === name) spelledRight.add(name);
  return spelling;
}

// To ask the machine takes longer than all else of reading a rule. Only names that are right: there are some hundreds.
const spelledRight = new Set<string>();

function askedSpelling(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name) || !isZone(name)) return undefined;
  const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
  const isLink = timeZone.toLowerCase() !== name.toLowerCase();
  return isLink && name.split(/[/_-]/).every((word) => WORD.test(word)) ? name : timeZone;
}

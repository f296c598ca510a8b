import { NOTHING } from './rule-faults.ts';
import type { Fault } from './rule-source.ts';

/** The file of a rules folder with channels and routes. */
export const ROUTES_FILE = 'routes.yaml';

/** Top-level keys of `routes.yaml` that contain no secrets. Any other may be a channel. */
const WITHOUT_SECRETS = ['default', 'routes', 'calendars', '$schema'];
/** Settings of a channel that contain no secrets. */
const OPEN_SETTINGS = [
  'region',
  'interactive',
  'at_once',
  'allow_private',
  'topic_arn',
  'bus',
  'from',
  'ses_region',
];

const TOP_KEY = /^(?<quote>["']?)(?<key>[$\w-]+)\k<quote>\s*:/;
const KEY = /^["']?(?<name>[a-z][a-z0-9_-]{0,39})["']?:$/i;

/** Masks keys and the URLs of webhooks, so that they do not appear in logs. */
export function withoutSecrets(text: string): string {
  const shaped = text
    .replace(/\b(xox[a-z]|xapp|whsec|[sprk]k_(?:live|test))([-_])[^\s"'},]+/g, '$1$2…')
    .replace(/\b(smtps?:\/\/)[^\s"'},]+/g, '$1…')
    .replace(/\b(Bearer|Basic) [^\s"'},]+/g, '$1 …')
    .replace(/\b(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{32,}\b/gi, '…');
  if (!/secret|slack|pagerduty|webhook/i.test(text)) return shaped;
  return shaped.replace(/(:\/\/[^\s"'/]+\/)[^\s"'},]+/g, '$1…').replace(/\b[0-9A-Za-z]{32}\b/g, '…');
}

/** The lines of a file, safe to print. Values of channels are masked. */
export function shownLines(name: string, lines: readonly string[]): string[] {
  let top: string | undefined;
  return lines.map((line) => {
    top = TOP_KEY.exec(line)?.groups?.key ?? top;
    const isOpen = name !== ROUTES_FILE || line.startsWith('#') || WITHOUT_SECRETS.includes(top ?? '');
    return isOpen ? withoutSecrets(line) : withoutValues(line);
  });
}

/** Masks values without moving the text after them, so that marks stay below their place. */
function withoutValues(line: string): string {
  let key: string | undefined;
  const shown = line.replaceAll(/[^\s{}[\],]+/g, (word, offset: number) => {
    const isFirst = /(^|[{,-])\s*$/.test(line.slice(0, offset));
    const name = isFirst ? KEY.exec(word)?.groups?.name : undefined;
    const isOpen = name !== undefined || word === '-' || OPEN_SETTINGS.includes(key ?? '');
    key = name;
    return isOpen ? withoutSecrets(word) : '…'.padEnd(word.length);
  });
  return shown.trimEnd();
}

/** The message of a fault, with the value that was found unless it may be a secret. */
export function shownMessage(name: string, { path, part, message, found }: Fault): string {
  const isOpen =
    name !== ROUTES_FILE ||
    part === 'key' ||
    found === NOTHING ||
    WITHOUT_SECRETS.includes(String(path[0])) ||
    OPEN_SETTINGS.includes(String(path.at(-1)));
  return withoutSecrets(isOpen && found !== undefined ? `${message}; found ${found}` : message);
}

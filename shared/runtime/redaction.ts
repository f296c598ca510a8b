const SECRET_NAME = /authorization|password|secret|token|webhook|api_?-?key/i;

// The last line of defence: adapters do not put credentials into messages, but a library's error may quote a URL.
const SECRET_TEXT: [pattern: RegExp, replacement: string][] = [
  [/(https?:\/\/hooks\.slack\.com)\/[^\s"'<>]+/gi, '$1/[redacted]'],
  [/(https?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/gi, '$1?[redacted]'],
  [/(https?:\/\/)[^\s"'<>/@]+@/gi, '$1[redacted]@'],
  [/\b(api_?-?key=)[^\s"'<>&]+/gi, '$1[redacted]'],
  [/\bdwk_[\w-]+/g, '[redacted]'],
  [/\b(bearer|basic) [\w.~+/=-]+/gi, '$1 [redacted]'],
];

/** A replacer for `JSON.stringify`: takes credentials out of fields that are named like one, and out of any text. */
export function redacted(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (SECRET_NAME.test(name)) return '[redacted]';
  return SECRET_TEXT.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value);
}

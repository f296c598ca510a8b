const SECRET_NAME = /authorization|password|secret|token|webhook|api_?-?key/i;

// The last line of defence: adapters keep credentials out of messages, but the error of a library may quote a URL.
const SECRET_TEXT: [pattern: RegExp, replacement: string][] = [
  [/(https?:\/\/hooks\.slack\.com)\/[^\s"'<>]+/gi, '$1/[redacted]'],
  [/(https?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/gi, '$1?[redacted]'],
  [/(https?:\/\/)[^\s"'<>/@]+@/gi, '$1[redacted]@'],
  // No word boundary before these two: in a percent-encoded query, a digit precedes them.
  [/(api_?-?key(?:=|%(?:25)*3d))[^\s"'<>&]+/gi, '$1[redacted]'],
  [/dwk_[\w-]+/g, '[redacted]'],
  // Signed links and sessions, also truncated: everything after the header is removed.
  [/eyJ[\w-]+(?:\.[\w-]*){1,2}/g, '[redacted]'],
  [/\b(bearer|basic) [\w.~+/=-]+/gi, '$1 [redacted]'],
];

/** A replacer for `JSON.stringify` that redacts credentials: fields named like one, and parts of any text. */
export function redacted(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (SECRET_NAME.test(name)) return '[redacted]';
  return SECRET_TEXT.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value);
}

/**
 * A text from outside, as part of one line for people. Credentials are redacted. Line breaks, terminal commands and
 * invisible letters are percent-encoded.
 */
export const printable = (text: string): string =>
  String(redacted('text', text)).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) =>
    encodeURIComponent(letter),
  );

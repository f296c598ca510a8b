const SECRET_NAME = /authorization|password|secret|token|webhook|api_?-?key/i;

// The last line of defence: adapters do not put credentials into messages, but a library's error may quote a URL.
const SECRET_TEXT: [pattern: RegExp, replacement: string][] = [
  [/(https?:\/\/hooks\.slack\.com)\/[^\s"'<>]+/gi, '$1/[redacted]'],
  [/(https?:\/\/[^\s"'<>?]+)\?[^\s"'<>]*/gi, '$1?[redacted]'],
  [/(https?:\/\/)[^\s"'<>/@]+@/gi, '$1[redacted]@'],
  // Without a word boundary before these two: in a percent-encoded query a digit stands there.
  [/(api_?-?key(?:=|%(?:25)*3d))[^\s"'<>&]+/gi, '$1[redacted]'],
  [/dwk_[\w-]+/g, '[redacted]'],
  // What signs a link or a session; cut off anywhere after its header it still tells what it is about.
  [/eyJ[\w-]+(?:\.[\w-]*){1,2}/g, '[redacted]'],
  [/\b(bearer|basic) [\w.~+/=-]+/gi, '$1 [redacted]'],
];

/** A replacer for `JSON.stringify`: takes credentials out of fields that are named like one, and out of any text. */
export function redacted(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (SECRET_NAME.test(name)) return '[redacted]';
  return SECRET_TEXT.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), value);
}

/**
 * What came from outside as part of one line for people: without credentials, and with what would end the line, command
 * a terminal or hide letters percent-encoded.
 */
export const printable = (text: string): string =>
  String(redacted('text', text)).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (letter) =>
    encodeURIComponent(letter),
  );

/** The http or https URL in `text`; `undefined` if it is not a URL or is longer than `limit`. */
export function webAddress(text: string | null | undefined, limit: number): string | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const { protocol, href } = new URL(text);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= limit ? href : undefined;
}

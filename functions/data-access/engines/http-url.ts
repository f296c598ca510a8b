/** A URL of HTTP whose user and password can be decoded. What others say of a wrong one quotes it. */
export function httpUrl(url: string): URL | undefined {
  try {
    decodeURIComponent(url);
  } catch {
    return undefined;
  }
  const found = URL.parse(url);
  return found && /^https?:$/.test(found.protocol) ? found : undefined;
}

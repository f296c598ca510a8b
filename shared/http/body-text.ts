/** The text of a response, and whether it was cut off after `mostBytes`, counted after decompression. */
export async function bodyText(
  { body }: Response,
  mostBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > mostBytes) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, mostBytes).toString(), isCut: bytes > mostBytes };
}

import type { ChatItem, Link } from './chat-layout.ts';
import { escapedWithin, oneLine } from './outgoing-text.ts';

const LABEL = 80;
const RUNBOOK = 1000;

/** How a chat that reads Markdown writes texts and links. `escaped`: a line that is not read as Markdown. */
export function markdown(escaped: (line: string) => string) {
  /** `text` as one line of at most `limit` characters that the chat shows as it is. */
  const plain = (limit: number, text: string) => escapedWithin(limit, escaped(oneLine(limit, text)));
  const link = ({ label, url }: Link) =>
    `[${plain(LABEL, label)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`;
  /** What to do; `undefined` without a runbook. */
  const runbookOf = ({ runbook }: ChatItem): string | undefined => {
    if (runbook === null) return undefined;
    return typeof runbook === 'string' ? plain(RUNBOOK, runbook) : link(runbook);
  };
  return { plain, link, runbookOf };
}

// Comments, texts and templates; what stands within a template's ${…} is part of it.
const TOKENS =
  /(?<comment>\/\/.*|\/\*[\s\S]*?(?:\*\/|$))|(?<quote>["'])(?:\\[\s\S]|(?!\k<quote>)[^\\\n])*\k<quote>?|`(?:\\[\s\S]|\$\{(?:[^{}`'"]|'[^'\n]*'|"[^"\n]*"|\{[^{}]*\}|`[^`]*`)*\}|[^`\\])*`?/g;

/** A text in TypeScript as its brackets are counted: comments and what is quoted are blank, and all keeps its place. */
export function codeAlone(text: string): string {
  return text.replaceAll(TOKENS, (token) => token.replaceAll(/[^\n]/g, ' '));
}

/** The comments of one line. Those within texts, such as `https://…`, are none. */
export function lineComments(text: string): { offset: number; source: string }[] {
  return [...text.matchAll(TOKENS)].flatMap(({ index, groups: { comment = '' } = {} }) =>
    comment.startsWith('//') ? [{ offset: index, source: comment.trimEnd() }] : [],
  );
}

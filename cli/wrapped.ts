const COLUMNS = 80;

/** The text in lines of 80 columns, as far in as it begins itself and `hanging` further from the second line on. */
export function wrapped(text: string, hanging = 2): string[] {
  const margin = ' '.repeat(text.length - text.trimStart().length);
  const [first = '', ...words] = text.trim().split(/ (?!%)/);
  const lines = [`${margin}${first}`];
  for (const word of words) {
    const line = `${lines.at(-1)} ${word}`;
    if (line.length <= COLUMNS) lines[lines.length - 1] = line;
    else lines.push(`${margin}${' '.repeat(hanging)}${word}`);
  }
  return lines;
}

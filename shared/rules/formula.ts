/** A parsed formula over named figures. */
export type Expression =
  | { kind: 'number'; value: number }
  | { kind: 'figure'; name: string }
  | { kind: 'operation'; operator: Operator; left: Expression; right: Expression };

type Operator = '+' | '-' | '*' | '/';

/** `at`: the column of the fault, from 1. */
export type ParsedFormula =
  | { kind: 'formula'; expression: Expression }
  | { kind: 'fault'; at: number; message: string };

interface Token {
  kind: 'number' | 'name' | 'sign' | 'end';
  text: string;
  at: number;
}

const TOKEN = /\s*(?:(?<number>\d+(?:\.\d+)?)|(?<name>[a-z][a-z0-9_]*)|(?<sign>[-+*/()]))/y;

/** Deeper formulas are mistakes, and would exhaust the stack. */
const MOST_TOKENS = 100;

/**
 * Parses numbers, names, `+ - * /` and parentheses, with the usual precedence. A minus sign may also stand before a
 * factor.
 */
export function parseFormula(text: string): ParsedFormula {
  try {
    const tokens = tokensOf(text);
    const parser = new Parser(tokens);
    return { kind: 'formula', expression: parser.whole() };
  } catch (error) {
    if (error instanceof FormulaFault) return { kind: 'fault', at: error.at, message: error.message };
    throw error;
  }
}

class FormulaFault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const { number, name, sign } = TOKEN.exec(text)?.groups ?? {};
    const written = number ?? name ?? sign;
    if (written === undefined) {
      const at = from + (text.slice(from).match(/^\s*/)?.[0].length ?? 0);
      throw new FormulaFault(at + 1, `unexpected "${text[at]}"; use names, numbers, + - * / and parentheses`);
    }
    const kind = number === undefined ? (name === undefined ? 'sign' : 'name') : 'number';
    tokens.push({ kind, text: written, at: TOKEN.lastIndex - written.length + 1 });
  }
  if (tokens.length > MOST_TOKENS)
    throw new FormulaFault(1, `over ${MOST_TOKENS} names, numbers and signs; write a shorter formula`);
  return [...tokens, { kind: 'end', text: '', at: end + 1 }];
}

class Parser {
  readonly #tokens: Token[];
  #place = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#sum();
    const next = this.#next();
    if (next.kind !== 'end') throw new FormulaFault(next.at, `expected an operator, found "${next.text}"`);
    return expression;
  }

  #sum(): Expression {
    let left = this.#product();
    for (let sign = this.#takes('+', '-'); sign; sign = this.#takes('+', '-'))
      left = { kind: 'operation', operator: sign, left, right: this.#product() };
    return left;
  }

  #product(): Expression {
    let left = this.#factor();
    for (let sign = this.#takes('*', '/'); sign; sign = this.#takes('*', '/'))
      left = { kind: 'operation', operator: sign, left, right: this.#factor() };
    return left;
  }

  #factor(): Expression {
    const token = this.#next();
    this.#place++;
    if (token.kind === 'number') return { kind: 'number', value: Number(token.text) };
    if (token.kind === 'name') return { kind: 'figure', name: token.text };
    if (token.text === '-') {
      const right = this.#factor();
      return { kind: 'operation', operator: '-', left: { kind: 'number', value: 0 }, right };
    }
    if (token.text === '(') return this.#parenthesis(token);
    const found = token.kind === 'end' ? 'the formula ends' : `found "${token.text}"`;
    throw new FormulaFault(token.at, `expected a name, a number or "(", but ${found}`);
  }

  #parenthesis({ at }: Token): Expression {
    const inner = this.#sum();
    const next = this.#next();
    if (next.text !== ')') throw new FormulaFault(at, 'this "(" has no ")"');
    this.#place++;
    return inner;
  }

  #next(): Token {
    return this.#tokens[this.#place] ?? { kind: 'end', text: '', at: 1 };
  }

  #takes<Sign extends Operator>(...signs: Sign[]): Sign | undefined {
    const { kind, text } = this.#next();
    const sign = kind === 'sign' ? signs.find((each) => each === text) : undefined;
    if (sign) this.#place++;
    return sign;
  }
}

/** The value of an expression; `null` if a figure has none, or a divisor is zero. */
export function evaluated(expression: Expression, figure: (name: string) => number | null): number | null {
  if (expression.kind === 'number') return expression.value;
  if (expression.kind === 'figure') return figure(expression.name);
  const [left, right] = [evaluated(expression.left, figure), evaluated(expression.right, figure)];
  if (left === null || right === null) return null;
  switch (expression.operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0 ? null : left / right;
  }
}

/** The names in an expression, each once, in the order in which they are written. */
export function namesIn(expression: Expression): string[] {
  switch (expression.kind) {
    case 'number':
      return [];
    case 'figure':
      return [expression.name];
    case 'operation':
      return [...new Set([...namesIn(expression.left), ...namesIn(expression.right)])];
  }
}

/** The names of a sum of figures, such as `a + (b + c)`; `undefined` for any other expression. */
export function summandsOf(expression: Expression): string[] | undefined {
  if (expression.kind === 'figure') return [expression.name];
  if (expression.kind === 'number' || expression.operator !== '+') return undefined;
  const [left, right] = [summandsOf(expression.left), summandsOf(expression.right)];
  return left && right && [...left, ...right];
}

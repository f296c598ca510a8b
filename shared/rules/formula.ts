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

class FormulaFault extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

/**
 * Parses numbers, names, `+ - * /` and parentheses, with the usual precedence. A minus sign may also stand before a
 * factor.
 */
export function parseFormula(text: string): ParsedFormula {
  try {
    return { kind: 'formula', expression: expressionIn(tokensOf(text)) };
  } catch (error) {
    if (error instanceof FormulaFault) return { kind: 'fault', at: error.at, message: error.message };
    throw error;
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const from = TOKEN.lastIndex;
    const groups = TOKEN.exec(text)?.groups ?? {};
    const found = Object.entries(groups).find(([, each]) => each !== undefined);
    if (!found) {
      const at = from + text.slice(from).search(/\S/);
      throw new FormulaFault(at + 1, `unexpected "${text[at]}"; use names, numbers, + - * / and parentheses`);
    }
    const [kind, written] = found;
    tokens.push({ kind: kind as Token['kind'], text: written, at: TOKEN.lastIndex - written.length + 1 });
  }
  if (tokens.length > MOST_TOKENS)
    throw new FormulaFault(1, `over ${MOST_TOKENS} names, numbers and signs; write a shorter formula`);
  return [...tokens, { kind: 'end', text: '', at: end + 1 }];
}

const SUM: readonly Operator[] = ['+', '-'];
const PRODUCT: readonly Operator[] = ['*', '/'];

function expressionIn(tokens: Token[]): Expression {
  let place = 0;
  const next = () => tokens[place] ?? { kind: 'end', text: '', at: 1 };

  const chain = (operators: readonly Operator[], operand: () => Expression): Expression => {
    let left = operand();
    for (;;) {
      const operator = operators.find((each) => each === next().text);
      if (!operator) return left;
      place++;
      left = { kind: 'operation', operator, left, right: operand() };
    }
  };
  const sum = (): Expression => chain(SUM, () => chain(PRODUCT, factor));
  const factor = (): Expression => {
    const token = next();
    place++;
    if (token.kind === 'number') return { kind: 'number', value: Number(token.text) };
    if (token.kind === 'name') return { kind: 'figure', name: token.text };
    if (token.text === '-')
      return { kind: 'operation', operator: '-', left: { kind: 'number', value: 0 }, right: factor() };
    if (token.text === '(') {
      const inner = sum();
      if (next().text !== ')') throw new FormulaFault(token.at, 'this "(" has no ")"');
      place++;
      return inner;
    }
    const found = token.kind === 'end' ? 'the formula ends' : `found "${token.text}"`;
    throw new FormulaFault(token.at, `expected a name, a number or "(", but ${found}`);
  };

  const expression = sum();
  const rest = next();
  if (rest.kind !== 'end') throw new FormulaFault(rest.at, `expected an operator, found "${rest.text}"`);
  return expression;
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

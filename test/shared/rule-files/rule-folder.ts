import { formatProblems } from '../../../shared/rule-files/file-problems.ts';
import { buildRuleSet } from '../../../shared/rule-files/yaml-rule-files.ts';

/** One channel, for all alerts. */
export const ROUTES = `channels:
  ops: { slack: { webhook_secret: slack/ops } }
default: [ops]
`;

/** One rule. `change` replaces or adds lines by their key. */
export function ruleFile(change: Record<string, string> = {}): string {
  const lines = {
    id: 'sessions-drop',
    title: 'Sessions',
    app: 'shop',
    owner: 'growth',
    every: 'day at 07:00',
    metric: 'sessions',
    fire: '{ change: { below: -30% } }',
    ...change,
  };
  const [first, ...rest] = Object.entries(lines).filter(([, value]) => value !== '');
  return ['rules:', `  - ${first?.join(': ')}`, ...rest.map((line) => `    ${line.join(': ')}`), ''].join(
    '\n',
  );
}

export function load(files: Record<string, string>) {
  return buildRuleSet('rules', new Map(Object.entries({ 'routes.yaml': ROUTES, ...files })));
}

export function loadProblems(files: Record<string, string>) {
  const loaded = load(files);
  return loaded.kind === 'problems' ? loaded.problems : [];
}

/** `line:column message` of each problem of `text`, as `rules/x.yaml`. */
export function problemsOf(text: string, name = 'x.yaml'): string[] {
  const files = name === 'routes.yaml' ? { 'x.yaml': ruleFile(), 'routes.yaml': text } : { [name]: text };
  const loaded = load(files);
  if (loaded.kind === 'loaded') return [];
  return loaded.problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** The problems of a folder with these files, as printed; empty if there are none. */
export function printedProblemsOf(files: Record<string, string>): string {
  return formatProblems(loadProblems(files));
}

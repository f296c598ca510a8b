import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { SourceLinks } from '../deployments/rule-store.ts';
import type { LoadedRuleFiles } from './yaml-rule-files.ts';

type Places = Extract<LoadedRuleFiles, { kind: 'loaded' }>['places'];

/**
 * The URL of the line of each rule, such as `https://github.com/acme/rules/blob/main/rules/checkout.yaml#L12`.
 * `repository` is the URL of the folder `dir`, with a slash at its end. Files outside of it have no URL.
 */
export function sourceLinks(places: Places, repository: string, dir: string): SourceLinks {
  return Object.fromEntries(
    [...places.rules].flatMap(([id, { begins }]) => {
      const path = relative(dir, resolve(begins.file));
      if (isAbsolute(path) || path.split(sep)[0] === '..') return [];
      const encoded = path.split(sep).map(encodeURIComponent).join('/');
      return [[id, `${repository}${encoded}#L${begins.line}`]];
    }),
  );
}

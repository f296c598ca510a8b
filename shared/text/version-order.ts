import { lazy } from '../units/lazy.ts';

const NUMERIC = lazy(() => new Intl.Collator('en', { numeric: true }));

/**
 * Orders versions as people do: `5.9.0` before `5.10.0`, `v5.2` as `5.2`, and a pre-release before its release
 * (`6.0.0-rc.1` before `6.0.0`, https://semver.org, item 11).
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [parts(a), parts(b)];
  const byCore = NUMERIC().compare(one.core, other.core);
  if (byCore !== 0 || one.suffix === other.suffix) return byCore;
  if (one.suffix === '') return 1;
  return other.suffix === '' ? -1 : NUMERIC().compare(one.suffix, other.suffix);
}

function parts(version: string): { core: string; suffix: string } {
  const [core = '', ...suffix] = version
    .trim()
    .replace(/^v(?=\d)/i, '')
    .split('-');
  return { core, suffix: suffix.join('-') };
}

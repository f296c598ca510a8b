import type { AppSettings } from '../../shared/access/app-settings.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { appPaths, loadSettings, replaceText } from './app-file.ts';

/** Settings to change. Omitted keys keep their value. */
export interface SettingsChange {
  /** `null` removes it. */
  readonly dashboardUrl?: string | null;
}

/**
 * Changes the settings of an app atomically. A running service uses them from the next request on.
 * @throws ConfigError if the app has no settings, or invalid ones.
 */
export async function editSettings(
  place: { dir: string; app: string },
  { dashboardUrl }: SettingsChange,
): Promise<AppSettings> {
  const { dir, app } = place;
  const settings = await loadSettings(dir, app);
  if (settings === undefined)
    throw new ConfigError(
      `There is no app ${app} in ${dir}; import its data with: deltawatch data import, or generate it with: deltawatch data generate`,
    );
  if (dashboardUrl === undefined) return settings;
  const { dashboardUrl: _, ...rest } = settings;
  const edited: AppSettings = dashboardUrl === null ? rest : { ...rest, dashboardUrl };
  await replaceText(appPaths(dir, app).settings, `${JSON.stringify(edited, null, 2)}\n`);
  return edited;
}

/**
 * Validates the root URL of a dashboard. Paths of links are added to it.
 * @throws InvalidRequestError if it is not http or https, or has a query, fragment or credentials.
 */
export function dashboardUrlOf(text: string): string {
  const url = URL.parse(text);
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:';
  if (url === null || !isWeb || url.username || url.password || /[?#]/.test(text))
    throw new InvalidRequestError(
      'Use an http or https URL without a query, such as https://dashboard.example.com.',
    );
  return url.href.replace(/\/+$/, '');
}

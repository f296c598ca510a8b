import type { AppSettings } from '../../shared/access/app-settings.ts';
import { ConfigError, InvalidRequestError } from '../../shared/runtime/errors.ts';
import { appPaths, loadSettings, replaceText } from './app-file.ts';

/** What of an app's settings is to be another; what is left out stays. */
export interface SettingsChange {
  /** `null` takes it away. */
  readonly dashboardUrl?: string | null;
}

/**
 * Changes the settings of an app in a folder, in one step; a service over the folder has them from the next request on.
 * @throws ConfigError where the app has none, or they cannot be read.
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
 * The root of a dashboard, to which the paths of links are added.
 * @throws InvalidRequestError for what nothing can be added to, or no browser should open.
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

export { type AppSettings, appSettingsSchema } from '../../shared/access/app-settings.ts';

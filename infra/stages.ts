/** One deployment of the whole system. All that differs between deployments is here. */
export interface Stage {
  /** Part of every name; lower-case letters and dashes. */
  name: string;
  /** Root of the data access interface. */
  dataAccessUrl: string;
  /** The Secrets Manager secret that holds its API key; created by hand, so that no deployment ever sees the key. */
  apiKeySecret: string;
  /** Of the calls that the interface allows (by default 5 a second and 500 an hour), how many may be made. */
  calls: { perSecond: number; perHour: number };
  /** Who hears when the system itself fails: a mailbox, for Slack may be what fails. */
  operators: string;
  /** Whether the table outlives its stack and can be restored to any second of the last 35 days. */
  keepState: boolean;
  logDays: 7 | 90;
}

export const STAGES: Stage[] = [
  {
    name: 'staging',
    dataAccessUrl: 'https://data-access.staging.example.com',
    apiKeySecret: 'deltawatch/staging/api-key',
    calls: { perSecond: 4, perHour: 400 },
    operators: 'deltawatch-staging@example.com',
    keepState: false,
    logDays: 7,
  },
  {
    name: 'production',
    dataAccessUrl: 'https://data-access.example.com',
    apiKeySecret: 'deltawatch/production/api-key',
    calls: { perSecond: 4, perHour: 400 },
    operators: 'deltawatch@example.com',
    keepState: true,
    logDays: 90,
  },
];

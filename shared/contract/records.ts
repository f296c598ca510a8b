import * as z from 'zod';
import { PLATFORMS } from './filters.ts';

// Every field of the responses of the service. Texts are "" if the data has no value.

const text = (words: string) => z.string().describe(words);
const count = (words: string) => z.int().min(0).describe(words);
const seconds = (words: string) => z.number().min(0).describe(`${words}, in seconds`);
const moment = (words: string) => z.iso.datetime().describe(`${words}, in UTC`);
const link = (to: string) => text(`URL of ${to} in the dashboard; "" if the app has none`);

const userPropertySchema = z
  .looseObject({ kSvc_UserIdentity: text('Id that the app assigned to the user, or the internal id') })
  .describe('Properties that the app set for the user, by name');
const platform = z.enum(PLATFORMS).describe('Android, iOS or web');

const locationSchema = z.strictObject({
  countryCode: text('Code of the country'),
  country: text('Country, English name'),
  city: text('City'),
});

export const eventRecordSchema = z.strictObject({
  eventId: text('Id of the event'),
  eventName: text('Name of the event'),
  eventScreen: text('Screen on which the event occurred'),
  eventDate: moment('When the event occurred, on the clock of the device'),
  url: link('its session'),
  sessionProperty: z.strictObject({
    sessionId: text('Id of the session'),
    hasVideo: z.boolean().describe('Whether the session has a recording'),
    durationSec: seconds('Duration of the session'),
  }),
  userProperty: userPropertySchema,
  eventProperty: z.record(z.string(), z.unknown()).describe('Properties sent with the event, by name'),
  device: z.strictObject({
    model: text('Model of the device'),
    platform: z.literal([1, 2, 3]).describe('1 Android, 2 iOS, 3 web'),
  }),
});

export const sessionRecordSchema = z.strictObject({
  sessionId: text('Id of the session'),
  url: link('the session'),
  property: z.strictObject({
    uploadedServerTime: moment('When the service received it'),
    deviceLocalDateTime: z.iso
      .datetime({ offset: true })
      .describe('When the session began, in local time of the zone of the request'),
    offlineRecorded: z.boolean().describe('Whether the device was offline'),
    hasVideo: z.boolean().describe('Whether the session has a recording'),
    isCrashed: z.boolean().describe('Whether the session ended in a crash'),
    durationSec: seconds('Duration of the session'),
    totalGesture: count('Gestures'),
    totalScreen: count('Screen visits'),
    uniqueScreensCount: count('Different screens'),
    rageGestureCount: count('Rage gestures'),
    responsiveGestureCount: count('Gestures that the app answered'),
    unresponsiveGestureCount: count('Gestures that the app did not answer'),
    networkType: text('Type of network'),
  }),
  user: z.strictObject({
    userProperty: userPropertySchema,
    sessionNumber: count('Number of the session among those of its user, from 1'),
  }),
  device: z.strictObject({
    deviceId: text('Id of the device'),
    model: text('Its model'),
    producer: text('Its maker'),
    class: text('Class of the device, as the SDK reports it'),
    platform,
    osName: text('Operating system'),
    osVersion: text('Version of the operating system'),
    appVersion: text('Version of the app'),
    sdkVersion: text('Version of the recording SDK'),
    language: text('Language of the device'),
  }),
  location: locationSchema,
});

const cumulative = (span: string) => ({
  totalSession: count(`Sessions ${span}`),
  totalSessionTime: seconds(`Time in sessions ${span}`),
  totalGesture: count(`Gestures ${span}`),
  screenCount: count(`Screen visits ${span}`),
  eventCount: count(`Events ${span}`),
  rageGestureCount: count(`Rage gestures ${span}`),
});

const usageSchema = z.strictObject({
  registeredOn: moment('Start of the first session of the user in the data'),
  lastseenOn: moment('When the user was last seen, of all time'),
  ...cumulative('in the window'),
  responsiveGestureCount: count('Gestures in the window that the app answered'),
  unresponsiveGestureCount: count(
    'Gestures in the window that the app did not answer; absent for web users',
  ).optional(),
  totalLifetime: z.strictObject(cumulative('of all time')).describe('Not affected by the window'),
});

const ofWeb = (words: string) => text(`${words}; only for web users`).optional();

/** Has the sections that `show_only` requests. */
export const userRecordSchema = z.strictObject({
  svcUserId: text('Internal id of the user'),
  userId: text('Id that the app assigned to the user, or the internal id'),
  url: link('the user'),
  property: z
    .strictObject({
      userProperty: userPropertySchema,
      initialLandingUTM: ofWeb('Campaign that led to the first session'),
      initialReferer: ofWeb('Page that led to the first session'),
      initialRefererDomain: ofWeb('Domain of that page'),
      initialLandingPage: ofWeb('First page'),
    })
    .optional(),
  usage: usageSchema.optional(),
  location: locationSchema.optional(),
  deviceBasics: z
    .strictObject({
      deviceId: text('Id of the device'),
      appVersion: text('Version of the app'),
      osVersion: text('Version of the operating system'),
      os: ofWeb('Operating system'),
      browser: ofWeb('Browser'),
      browserVersion: ofWeb('Version of the browser'),
      type: ofWeb('Type of device'),
    })
    .optional(),
  deviceHardware: z
    .strictObject({ model: text('Model of the device').optional(), platform: platform.optional() })
    .optional()
    .describe('Empty for web users'),
});

export const catalogueEntrySchema = z.strictObject({
  event_name: text('Name of the events'),
  event_count: count('Events of the last 30 days'),
  first_seen: moment('The first of these events'),
  last_seen: moment('The last of them'),
  properties: z
    .array(
      z.strictObject({
        property_name: text('Name of the property'),
        share: z.number().describe('Share of the newest events that have it'),
        types: z
          .array(z.enum(['boolean', 'list', 'map', 'number', 'string']))
          .describe('Types of its values'),
        values: z
          .array(z.union([z.string(), z.number(), z.boolean()]))
          .describe('Frequent values, the most frequent first'),
      }),
    )
    .describe('Properties of up to 100 of the newest events, the most frequent first'),
});
export type CatalogueEntry = z.infer<typeof catalogueEntrySchema>;

/** A row of analytics: the keys of its group, the requested metrics, and what `comparison` adds to each. */
export const analyticsRowSchema = z
  .record(z.string(), z.union([z.string(), z.number()]).nullable())
  .describe(
    'The key of each group by its attribute, null if the data has no value, and the number of each metric by its name. `comparison` adds `<metric>_pct_change` and `<metric>_previous`. Rows of users have `dashboard_link`.',
  );

/** The sessions, events and visits of an app. Times are milliseconds since the epoch. */
export interface World {
  /** IANA zone of the app. */
  readonly zone: string;
  /** Rows uploaded later are not visible. */
  readonly now: number;
  readonly sessions: readonly RawSession[];
  readonly events: readonly RawEvent[];
  readonly visits: readonly RawVisit[];
}

/** Free-form properties: any JSON. */
export type Properties = Readonly<Record<string, unknown>>;

interface Stored {
  readonly recorded_at: number;
  readonly uploaded_at: number;
}

export interface RawSession extends Stored {
  readonly session_id: string;
  readonly user_id: string;
  readonly user_name: string | null;
  /** 1 for the session that made its user new. */
  readonly session_number: number;
  readonly duration_sec: number;
  readonly gesture_count: number;
  readonly rage_gesture_count: number;
  readonly responsive_gesture_count: number;
  readonly unresponsive_gesture_count: number;
  readonly screen_count: number;
  readonly unique_screen_count: number;
  /** In the order of their visits. */
  readonly screens: readonly string[];
  readonly event_count: number;
  readonly crashed: boolean;
  readonly has_video: boolean;
  readonly offline: boolean;
  readonly network_type: string | null;
  readonly platform: 'android' | 'ios' | 'web';
  readonly device_id: string | null;
  readonly device_model: string | null;
  readonly device_manufacturer: string | null;
  readonly device_class: string | null;
  readonly os_name: string | null;
  readonly os_version: string | null;
  readonly app_version: string | null;
  readonly sdk_version: string | null;
  readonly language: string | null;
  readonly country_code: string | null;
  readonly country: string | null;
  readonly city: string | null;
  readonly browser_name: string | null;
  readonly browser_version: string | null;
  readonly device_type: string | null;
  readonly referer: string | null;
  readonly referer_domain: string | null;
  readonly utm: string | null;
  readonly landing_page: string | null;
  readonly user_properties: Properties;
}

export interface RawEvent extends Stored {
  readonly event_id: string;
  readonly session_id: string;
  readonly event_name: string;
  readonly screen_name: string | null;
  readonly properties: Properties;
}

/** One stay on one screen. */
export interface RawVisit extends Stored {
  readonly session_id: string;
  readonly screen_name: string;
  readonly time_on_screen_sec: number;
  /** null: unknown. */
  readonly visit_rage_gesture_count: number | null;
  readonly is_entry: boolean;
  readonly is_exit: boolean;
  readonly is_bounce: boolean;
}

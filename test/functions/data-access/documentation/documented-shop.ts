import { event, type SampleData, session, visit } from '../sample-app.ts';

// The data behind the examples of the API documentation.

const pixel = {
  user_id: 'u-81c2',
  user_name: 'c-1041',
  platform: 'android',
  device_id: 'd-5a90',
  device_model: 'Pixel 9',
  device_manufacturer: 'Google',
  device_class: 'phone',
  os_name: 'Android',
  os_version: '16',
  app_version: '4.2.0',
  sdk_version: '7.1.0',
  language: 'de-DE',
  network_type: 'wifi',
  country: 'Germany',
  country_code: 'DE',
  city: 'Berlin',
  user_properties: { plan: 'pro' },
};
const web = {
  user_id: 'u-3f77',
  user_name: 'c-0007',
  platform: 'web',
  os_name: 'macOS',
  browser_name: 'Firefox',
  browser_version: '148',
  device_type: 'desktop',
  country: 'France',
  country_code: 'FR',
  city: 'Lyon',
  user_properties: { plan: 'free' },
};

const first = session({
  ...pixel,
  session_id: 's-9d10',
  recorded_at: '2026-03-03T08:10:00Z',
  duration_sec: 412.5,
  gesture_count: 96,
  rage_gesture_count: 2,
  responsive_gesture_count: 90,
  unresponsive_gesture_count: 6,
  event_count: 1,
});
const second = session({
  ...pixel,
  session_id: 's-9d11',
  session_number: 2,
  recorded_at: '2026-03-05T17:40:00Z',
  uploaded_at: '2026-03-05T17:55:00Z',
  duration_sec: 180,
  event_count: 2,
});
const third = session({
  ...web,
  session_id: 's-c402',
  recorded_at: '2026-03-04T12:00:00Z',
  duration_sec: 95,
  gesture_count: 20,
  screens: ['Home'],
  screen_count: 1,
  unique_screen_count: 1,
  event_count: 1,
});

const purchase = (of: typeof first, id: string, properties: Record<string, unknown>) =>
  event(of, { event_id: id, event_name: 'purchase', screen_name: 'Checkout', properties });

export const DOCUMENTED: SampleData = {
  sessions: [first, second, third],
  events: [
    purchase(first, 'e-0001', { price: 39.9, category: 'books' }),
    purchase(third, 'e-0002', { price: 12, category: 'music' }),
    purchase(second, 'e-0003', { price: 7.5, category: 'films' }),
    purchase(second, 'e-0004', { price: 12.5, category: 'films' }),
  ],
  visits: [
    visit(first, { screen_name: 'Home', time_on_screen_sec: 20, is_exit: false, is_bounce: false }),
    visit(first, { screen_name: 'Checkout', time_on_screen_sec: 60, is_entry: false, is_bounce: false }),
    visit(third, { screen_name: 'Home', time_on_screen_sec: 95, visit_rage_gesture_count: 1 }),
  ],
};

export const DOCUMENTED_SETTINGS = {
  dashboardUrl: 'https://dashboard.example.com',
  rateLimit: { enforce: false },
};

import { chance, type Draw, logNormal, type Weighted, weighted, wholeBetween } from './draws.ts';

const SCREEN_OF = {
  view_home: 'Home',
  search: 'Search',
  view_category: 'Category',
  view_item: 'Item',
  share: 'Item',
  add_to_wishlist: 'Item',
  add_to_cart: 'Item',
  view_cart: 'Cart',
  remove_from_cart: 'Cart',
  begin_checkout: 'Checkout',
  add_payment_info: 'Checkout',
  purchase: 'Confirmation',
} as const;
export type EventName = keyof typeof SCREEN_OF;
export type Screen = (typeof SCREEN_OF)[EventName];

type NextSteps = readonly [Weighted<EventName>, ...Weighted<EventName>[]];

// biome-ignore format: a table
const ENTRY: NextSteps = [['view_home', 62], ['view_item', 24], ['search', 10], ['view_cart', 4]];

/** Next steps after each step, with relative weights. */
// biome-ignore format: a table
const NEXT: Record<EventName, NextSteps> = {
  view_home: [['search', 36], ['view_category', 32], ['view_item', 27], ['view_cart', 5]],
  search: [['view_item', 70], ['search', 20], ['view_category', 10]],
  view_category: [['view_item', 76], ['view_category', 14], ['search', 10]],
  view_item: [['view_item', 27], ['add_to_cart', 27], ['search', 13], ['view_category', 12], ['view_home', 9],
    ['add_to_wishlist', 6], ['share', 6]],
  share: [['view_item', 70], ['view_home', 30]],
  add_to_wishlist: [['view_item', 70], ['search', 30]],
  add_to_cart: [['view_cart', 45], ['view_item', 30], ['begin_checkout', 25]],
  view_cart: [['begin_checkout', 58], ['view_item', 30], ['remove_from_cart', 12]],
  remove_from_cart: [['view_cart', 50], ['view_item', 50]],
  begin_checkout: [['add_payment_info', 66], ['view_cart', 18], ['view_item', 16]],
  add_payment_info: [['purchase', 72], ['begin_checkout', 28]],
  purchase: [['view_home', 60], ['view_item', 28], ['share', 12]],
};

// biome-ignore format: a table
const QUERIES = [
  ['shoes', 30], ['rain jacket', 20], ['headphones', 15], ['backpack', 12], ['desk lamp', 10], ['tent', 8],
] as const satisfies Weighted<string>[];

export interface Step {
  name: EventName;
  screen: Screen;
}

/** Draws the steps of a visit, in order. */
export function walkFunnel(draw: Draw, length: number): Step[] {
  const steps: Step[] = [];
  let name = weighted(draw, ENTRY);
  for (let i = 0; i < length; i++) {
    steps.push({ name, screen: SCREEN_OF[name] });
    name = weighted(draw, NEXT[name]);
  }
  return steps;
}

/** The custom properties of an event. The web shop sends prices as text, as real shops do. */
export function propertiesOf(draw: Draw, name: EventName, isWeb: boolean): Record<string, unknown> {
  const money = (amount: number) => (isWeb ? amount.toFixed(2) : Math.round(amount * 100) / 100);
  switch (name) {
    case 'search':
      return { query: weighted(draw, QUERIES), results: wholeBetween(draw, 0, 60) };
    case 'purchase':
      return {
        price: money(logNormal(draw, 48, 0.6)),
        currency: 'EUR',
        items: wholeBetween(draw, 1, 4),
        ...(chance(draw, 0.2) && { coupon: 'WELCOME10' }),
      };
    case 'view_item':
    case 'share':
    case 'add_to_wishlist':
    case 'add_to_cart':
    case 'remove_from_cart':
      return { item_id: `sku-${wholeBetween(draw, 100, 899)}`, price: money(logNormal(draw, 29, 0.7)) };
    default:
      return {};
  }
}

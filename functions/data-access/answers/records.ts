import * as z from 'zod';
import type { Cell, Row } from '../engines/engine.ts';

/** Text of a record; "" where the data has none, since the contract knows no null there. */
export const textOf = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? '' : String(cell);

/** A time of a record, from milliseconds since the epoch. */
export const timeOf = (millis: Cell | undefined): string => new Date(Number(millis)).toISOString();

export type PropertyMap = Readonly<Record<string, unknown>>;
/** Not `z.record`, which leaves out a property that happens to be called `__proto__`. */
const propertyMapSchema = z.custom<PropertyMap>((value) => typeof value === 'object' && value !== null);

/** A free-form map, stored as JSON text. */
export const propertyMap = (json: Cell | undefined): PropertyMap =>
  propertyMapSchema.parse(JSON.parse(textOf(json) || '{}'));

/** The identity that the app gave a user, or the internal one where it gave none. */
export const identityOf = ({ user_name, user_id }: Row): string => textOf(user_name) || textOf(user_id);

/** What a session says of its user, who is always named. */
export const userProperties = (row: Row): PropertyMap => ({
  ...propertyMap(row.user_properties),
  kSvc_UserIdentity: identityOf(row),
});

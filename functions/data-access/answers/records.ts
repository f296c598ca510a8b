import * as z from 'zod';
import type { Cell, Row } from '../engines/engine.ts';

/** A text of a record; "" if missing, because the API has no null there. */
export const textOf = (cell: Cell | undefined): string =>
  cell === null || cell === undefined ? '' : String(cell);

/** A time of a record, from milliseconds since the epoch. */
export const timeOf = (millis: Cell | undefined): string => new Date(Number(millis)).toISOString();

export type PropertyMap = Readonly<Record<string, unknown>>;
/** Not `z.record`, which drops a property named `__proto__`. */
const propertyMapSchema = z.custom<PropertyMap>((value) => typeof value === 'object' && value !== null);

/** A free-form map, stored as JSON text. */
export const propertyMap = (json: Cell | undefined): PropertyMap =>
  propertyMapSchema.parse(JSON.parse(textOf(json) || '{}'));

/** The user id that the app set, or else the internal one. */
export const identityOf = ({ user_name, user_id }: Row): string => textOf(user_name) || textOf(user_id);

/** The user properties of a session, always with the identity. */
export const userProperties = (row: Row): PropertyMap => ({
  ...propertyMap(row.user_properties),
  kSvc_UserIdentity: identityOf(row),
});

/**
 * Reading a row's values with their types checked: a column of the wrong type is a
 * damaged or foreign file and not an undefined that travels.
 */
import { CairnError } from '../../../base/errors.ts';
import type { SqlRow, SqlValue } from './sqliteDatabase.ts';

function wrong(column: string, wanted: string): CairnError {
  return new CairnError('STORE_CORRUPT', `A row of the store holds no ${wanted} in ${column}. Run \`cairn doctor\`.`, { data: { column } });
}

export function text(row: SqlRow, column: string): string {
  const value = row[column];
  if (typeof value !== 'string') throw wrong(column, 'text');
  return value;
}

export function number(row: SqlRow, column: string): number {
  const value = row[column];
  if (typeof value !== 'number') throw wrong(column, 'number');
  return value;
}

export const flag = (row: SqlRow, column: string): boolean => number(row, column) !== 0;

export function optionalText(row: SqlRow, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : text(row, column);
}

export function optionalNumber(row: SqlRow, column: string): number | undefined {
  return row[column] === null || row[column] === undefined ? undefined : number(row, column);
}

/** A JSON column that this store wrote itself; the caller names its shape. */
export function json<T>(row: SqlRow, column: string): T {
  try {
    return JSON.parse(text(row, column)) as T;
  } catch (error) {
    throw new CairnError('STORE_CORRUPT', `A row of the store holds no JSON in ${column}. Run \`cairn doctor\`.`, { cause: error, data: { column } });
  }
}

/** A value that came from a closed list; one that a newer Cairn knows passes through unharmed. */
export const word = <T extends string>(row: SqlRow, column: string): T => text(row, column) as T;
export const optionalWord = <T extends string>(row: SqlRow, column: string): T | undefined => optionalText(row, column) as T | undefined;

export function blob(row: SqlRow, column: string): Uint8Array {
  const value = row[column];
  if (!(value instanceof Uint8Array)) throw wrong(column, 'blob');
  return value;
}

/** What a column takes for an optional value. */
export const orNull = (value: string | number | undefined): SqlValue => value ?? null;
export const bit = (value: boolean): number => (value ? 1 : 0);

/** Drops keys without a value, so that what is read equals what was written. */
export function present<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as T;
}

/** `?, ?, ?` for as many values. */
export const places = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

import { Fault } from '../faults/index.js';
import { isArray, own, isObject, type JsonObject } from './json.js';

/**
 * Fields of an object that people wrote: absent and null are the same, anything of another type is a fault that names
 * the field.
 */
export function text(object: JsonObject, name: string, at: string): string {
  const value = own(object, name);
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw wrong(`${at}.${name}`, 'must be text');
  return value;
}

export function texts(object: JsonObject, name: string, at: string): string[] {
  const value = own(object, name);
  if (value === undefined || value === null) return [];
  if (!isArray(value) || !value.every((each): each is string => typeof each === 'string'))
    throw wrong(`${at}.${name}`, 'must be a list of texts');
  return value;
}

export function objects(object: JsonObject, name: string, at: string): JsonObject[] {
  const value = own(object, name);
  if (value === undefined || value === null) return [];
  if (!isArray(value) || !value.every(isObject)) throw wrong(`${at}.${name}`, 'must be a list of objects');
  return value;
}

export function count(object: JsonObject, name: string, at: string): number | undefined {
  const value = own(object, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrong(`${at}.${name}`, 'must be a whole number');
  return value;
}

/** Absent counts as false. */
export function flag(object: JsonObject, name: string, at: string): boolean {
  const value = own(object, name);
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrong(`${at}.${name}`, 'must be true or false');
  return value;
}

/** Undefined where it is absent. */
export function object(parent: JsonObject, name: string, at: string): JsonObject | undefined {
  const value = own(parent, name);
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw wrong(`${at}.${name}`, 'must be an object');
  return value;
}

export function wrong(at: string, message: string): Fault {
  return new Fault('VALUE_INVALID', `${at} ${message}`, { where: at });
}

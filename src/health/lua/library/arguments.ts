import { LuaCoroutine, LuaFunction, LuaTable, typeName, type LuaValue, type LuaValues, type Run } from '../value.js';
import { toInt } from './go-int.js';
import { numberToText, textToNumber } from './number-text.js';

/**
 * Reads arguments of host functions with gopher-lua's rules and messages. Positions count from 1; a missing argument is
 * nil.
 */

export function checkAny(run: Run, args: LuaValues, position: number): LuaValue {
  if (position > args.length) run.argumentError(position, 'value expected');
  return args[position - 1];
}

/** Only a number; a string that spells one is refused. */
export function checkInt(run: Run, args: LuaValues, position: number): number {
  const value = args[position - 1];
  return typeof value === 'number' ? toInt(value) : run.typeError(position, 'number', args);
}

export function optionalInt(run: Run, args: LuaValues, position: number, missing: number): number {
  return args[position - 1] === undefined ? missing : checkInt(run, args, position);
}

export function checkNumber(run: Run, args: LuaValues, position: number): number {
  const value = args[position - 1];
  if (typeof value === 'number') return value;
  return (typeof value === 'string' ? textToNumber(value) : undefined) ?? run.typeError(position, 'number', args);
}

/** Takes numbers, too. */
export function checkString(run: Run, args: LuaValues, position: number): string {
  const value = args[position - 1];
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? numberToText(value) : run.typeError(position, 'string', args);
}

/** Unlike checkString this refuses numbers. */
export function optionalString(run: Run, args: LuaValues, position: number, missing: string): string {
  const value = args[position - 1];
  if (value === undefined) return missing;
  return typeof value === 'string' ? value : run.typeError(position, 'string', args);
}

export function checkTable(run: Run, args: LuaValues, position: number): LuaTable {
  const value = args[position - 1];
  return value instanceof LuaTable ? value : run.typeError(position, 'table', args);
}

export function checkFunction(run: Run, args: LuaValues, position: number): LuaFunction {
  const value = args[position - 1];
  return value instanceof LuaFunction ? value : run.typeError(position, 'function', args);
}

export function checkThread(run: Run, args: LuaValues, position: number): LuaCoroutine {
  const value = args[position - 1];
  return value instanceof LuaCoroutine ? value : run.typeError(position, 'thread', args);
}

export function checkTypes(run: Run, args: LuaValues, position: number, types: readonly string[]): void {
  const type = typeName(args[position - 1]);
  if (!types.includes(type)) run.argumentError(position, `${types.join(' or ')} expected, got ${type}`);
}

import type { GoFunction, GoFunctions } from '../template/value/go-function.js';
import { BOOL, STRING } from '../template/value/go-type.js';
import { define } from './define.js';

/** Paths with slashes. Helm runs on Linux here, so those of the system are the same. */

function clean(path: string): string {
  const isRooted = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..' || (kept.length > 0 && kept.at(-1) !== '..')) {
      if (part === '..') kept.pop();
      else kept.push(part);
    } else if (!isRooted) kept.push(part);
  }
  const joined = kept.join('/');
  return isRooted ? `/${joined}` : joined || '.';
}

function base(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  return trimmed === '' ? '/' : trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

function dir(path: string): string {
  return clean(path.slice(0, path.lastIndexOf('/') + 1));
}

function ext(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
}

function ofPath(change: (path: string) => string): GoFunction {
  return define([STRING], STRING, (args) => change(args.text(0)));
}

const IS_ABSOLUTE = define([STRING], BOOL, (args) => args.text(0).startsWith('/'));

export const PATHS: GoFunctions = {
  base: ofPath(base),
  dir: ofPath(dir),
  clean: ofPath(clean),
  ext: ofPath(ext),
  isAbs: IS_ABSOLUTE,
  osBase: ofPath(base),
  osDir: ofPath(dir),
  osClean: ofPath(clean),
  osExt: ofPath(ext),
  osIsAbs: IS_ABSOLUTE,
};

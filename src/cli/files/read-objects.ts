import { readFileSync } from 'node:fs';
import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, type Json } from '../../model/json/index.js';
import { readYaml } from '../../model/yaml/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';

/** Every object in the files; `-` is the standard input, and a List is taken apart. */
export function readObjects(files: readonly string[]): KubeObject[] {
  return files.flatMap((file) =>
    readYaml(readText(file), { dialect: 'kubernetes', file: inputName(file) }).flatMap(({ value }) =>
      value === null ? [] : flattenObjects(value, inputName(file)),
    ),
  );
}

export function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new Fault(
      'FILE_UNREADABLE',
      `${inputName(file)} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      { where: inputName(file), cause: error },
    );
  }
}

export function inputName(file: string): string {
  if (file === '-') return 'standard input';
  return file.trim() === '' ? JSON.stringify(file) : file;
}

/** The objects of one document; a List is taken apart. */
export function flattenObjects(value: Json, file: string): KubeObject[] {
  if (isObject(value) && typeof value.kind === 'string' && value.kind.endsWith('List') && isArray(value.items))
    return value.items.flatMap((item) => flattenObjects(item, file));
  if (!isObject(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    throw new Fault('VALUE_INVALID', 'not a Kubernetes object: apiVersion and kind are required', { where: file });
  }
  return [{ ...value, metadata: isObject(value.metadata) ? value.metadata : {} } as KubeObject];
}

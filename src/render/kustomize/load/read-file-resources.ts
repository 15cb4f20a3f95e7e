import { Fault } from '../../../model/faults/index.js';
import { refault } from '../fault.js';
import { readResources } from '../resource/read-resources.js';
import type { Resource } from '../resource/resource.js';
import type { OpenApi } from '../schema/open-api.js';
import type { Loader } from './loader.js';

/** Every object of a file. */
export function readFileResources(
  { loader, openApi }: { readonly loader: Loader; readonly openApi: OpenApi },
  path: string,
): Resource[] {
  const text = loader.text(path);
  const file = loader.pathOf(path);
  const repository = loader.remote?.spec.repository;
  try {
    return readResources(text, openApi, { file, line: 1, ...(repository !== undefined && { repository }) });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const where = error.where === '' ? file : `${file}:${error.where.replace(/^line /, '')}`;
    throw refault(error, isMalformed(error) ? `${error.message} in File: ${path}` : error.message, where);
  }
}

/** A text that is no YAML: then nobody tries it as a folder. */
export function isMalformed(error: unknown): boolean {
  return error instanceof Fault && error.message.includes('MalformedYAMLError');
}

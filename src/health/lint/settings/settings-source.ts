import type { JsonObject } from '../../../model/json/index.js';
import type { KubeObject } from '../../../model/kubernetes/index.js';
import type { FindingPlace } from '../finding.js';
import { findYamlPlace, type YamlPlace } from './yaml-place.js';

/** An object of the settings, with the text it was read from where there is one. */
export interface SettingsSource {
  readonly object: KubeObject;
  /** File name for the findings; else the object's own name is used. */
  readonly file?: string;
  readonly text?: string;
  /** The line of the text on which this object's document starts, from 1. */
  readonly line?: number;
}

export function sourceName({ object, file }: SettingsSource): string {
  const { namespace, name = '' } = object.metadata;
  return file ?? `${object.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** Where a value stands in its file, if that can be told. */
export function placeIn(source: SettingsSource, path: readonly (string | number)[]): YamlPlace | undefined {
  return source.text === undefined ? undefined : findYamlPlace(source.text, path, source.line ?? 1);
}

/** The place of a finding about a key as a whole. */
export function keyPlace(source: SettingsSource, path: readonly (string | number)[], key: string): FindingPlace {
  const place = placeIn(source, path)?.key ??
    placeIn(source, path.slice(0, -1))?.key ?? { line: source.line ?? 1, column: 1 };
  return { name: sourceName(source), key, line: place.line, column: place.column };
}

/** A health script found in the settings. */
export interface FoundScript {
  readonly source: SettingsSource;
  readonly group: string;
  readonly kind: string;
  readonly script: string;
  readonly openLibs: boolean;
  /** The key that holds it, for people. */
  readonly key: string;
  readonly path: readonly (string | number)[];
  readonly place: YamlPlace | undefined;
}

/** Entries of a ConfigMap that are texts. */
export function textEntries(data: JsonObject): [string, string][] {
  return Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
}

import { gvkOf, type KubeObject } from '../../model/kubernetes/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { Json } from '../../model/json/index.js';
import {
  pathText,
  shortText,
  valuePlaceText,
  valuesReadByFile,
  type ChartValues,
  type Manifest,
  type ValueOrigin,
} from '../../render/index.js';
import { prettyJson } from '../output/index.js';

/** What was rendered, whatever the tool. */
export interface RenderResult {
  readonly manifests: readonly Manifest[];
  /** What the tool itself prints, if it is one that prints. */
  readonly text?: string;
  readonly warnings: readonly string[];
  /** For charts. */
  readonly values?: ChartValues;
}

/** Rendered objects as the tool prints them, as JSON or as names; with `--origin`, where each came from. */
export function printManifests(result: RenderResult, output: string, withOrigin: boolean): string {
  const { manifests, text } = result;
  if (output === 'name')
    return manifests
      .map(({ object, origin }) => `${manifestName(object)}${withOrigin ? `\t${placeOf(origin)}` : ''}\n`)
      .join('');
  if (output === 'json')
    return prettyJson(
      withOrigin
        ? originJson(result)
        : { apiVersion: 'v1', kind: 'List', items: manifests.map(({ object }) => object) },
    );
  if (withOrigin) return withComments(result);
  return text ?? manifests.map((manifest) => `---\n${yamlOf(manifest)}`).join('');
}

function yamlOf({ object, text }: Manifest): string {
  return text === undefined ? writeYaml(object) : `${text.trimEnd()}\n`;
}

/** As `kubectl get -o name` prints it. */
function manifestName(object: KubeObject): string {
  const { group, kind } = gvkOf(object);
  const name = object.metadata.name ?? object.metadata.generateName ?? '';
  return `${kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${name}`;
}

function placeOf({ file, line }: Manifest['origin']): string {
  return `${file}:${line}`;
}

type Reads = ReturnType<typeof valuesReadByFile>;

function readsOf({ values }: RenderResult): Reads {
  return values === undefined ? new Map() : valuesReadByFile(values);
}

/** The documents as they are, each below comments that say where it and its values are written. */
function withComments(result: RenderResult): string {
  const reads = readsOf(result);
  return result.manifests
    .map((manifest) => {
      const read = reads.get(manifest.origin.file);
      const lines = [
        ...(read === undefined ? [] : [`# Source: ${read.source}`]),
        `# Origin: ${placeOf(manifest.origin)}`,
        ...(read?.values ?? []).map((origin) => `# Value: ${valueLine(origin)}`),
      ];
      return `---\n${lines.join('\n')}\n${yamlOf(manifest)}`;
    })
    .join('');
}

function valueLine({ path, value, place, shadowed }: ValueOrigin): string {
  const over = shadowed.map((one) => `${shortText(one.value)} at ${valuePlaceText(one.place)}`).join(', ');
  return (
    `${pathText(path)} = ${shortText(value)}${place === undefined ? '' : ` at ${valuePlaceText(place)}`}` +
    (over === '' ? '' : `, over ${over}`)
  );
}

function originJson(result: RenderResult): Json {
  const reads = readsOf(result);
  return result.manifests.map(({ object, origin }) => ({
    object,
    origin: { file: origin.file, line: origin.line },
    values: (reads.get(origin.file)?.values ?? []).map(originOfValue),
  }));
}

/** One value for programs. */
export function originOfValue({ path, value, place, removed, shadowed }: ValueOrigin): Json {
  return {
    key: pathText(path),
    value,
    removed,
    origin: place === undefined ? null : placeJson(place),
    shadowed: shadowed.map((one) => ({ ...placeJson(one.place), value: one.value })),
  };
}

/** Without a line for what the command line says. */
export function placeJson({ file, line }: { readonly file: string; readonly line: number }): {
  file: string;
  line?: number;
} {
  return line === 0 ? { file } : { file, line };
}

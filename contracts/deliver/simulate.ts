import { isArray, isObject, own, put, type Json, type JsonObject } from '../../src/model/json/index.js';
import { readYaml, writeYaml } from '../../src/model/yaml/index.js';

/**
 * On the embedded cluster nothing of a manifest is executed: pods say in an annotation what their containers do. This
 * puts it onto the pods of a file, by the same reading of commands as `kwok/stages.yaml`. Other text stays as it is.
 */
export function simulateCommands(text: string): string {
  if (text.includes('{{') || !/kind: *(Pod|Job|Deployment)\b/.test(text)) return text;
  const values = readYaml(text, { dialect: 'kubernetes' }).map((document) => document.value);
  const isChanged = values.map((value) => isObject(value) && annotate(value)).includes(true);
  return isChanged ? values.map((value) => writeYaml(value)).join('---\n') : text;
}

const ANNOTATION = 'argosy.dev/simulate';

function annotate(object: JsonObject): boolean {
  const hasTemplate = object.kind === 'Job' || object.kind === 'Deployment';
  const template = hasTemplate ? at(object, 'spec', 'template') : undefined;
  const pod = object.kind === 'Pod' ? object : template;
  const spec = pod && at(pod, 'spec');
  if (pod === undefined || spec === undefined) return false;
  const containers = isArray(spec.containers) ? spec.containers.filter(isObject) : [];
  const behaviours = containers.flatMap((container) => {
    const behaviour = behaviourOf(container);
    return behaviour === undefined ? [] : [[String(container.name), behaviour] as const];
  });
  if (behaviours.length === 0) return false;
  const metadata = at(pod, 'metadata') ?? {};
  put(pod, 'metadata', metadata);
  const annotations = at(metadata, 'annotations') ?? {};
  put(metadata, 'annotations', annotations);
  const written = JSON.stringify(Object.fromEntries(behaviours));
  if (own(annotations, ANNOTATION) === written) return false;
  put(annotations, ANNOTATION, written);
  return true;
}

function behaviourOf({ command, args, readinessProbe }: JsonObject): object | undefined {
  const probe = isObject(readinessProbe) && isObject(readinessProbe.httpGet) ? readinessProbe.httpGet.path : undefined;
  if (probe === '/does-not-exist') return { ready: false };
  const words = [command, args].flatMap((list) => (isArray(list) ? list : [])).join(' ');
  if (/^false$|exit [1-9]/.test(words)) return { exitCode: 1 };
  const sleep = /sleep (\d+)(?!\w)/.exec(words)?.[1];
  return sleep === undefined ? undefined : { after: `${sleep}s` };
}

function at(object: JsonObject, ...path: readonly string[]): JsonObject | undefined {
  const found = path.reduce<Json | undefined>(
    (value, name) => (isObject(value) ? own(value, name) : undefined),
    object,
  );
  return isObject(found) ? found : undefined;
}

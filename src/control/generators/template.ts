import { applyStrategicMergePatch } from '../../model/patch/index.js';
import { Fault } from '../../model/faults/index.js';
import {
  type Json,
  type JsonObject,
  isArray,
  isObject,
  objectAt,
  own,
  parseJson,
  put,
  textAt,
} from '../../model/json/index.js';
import { readOneYaml } from '../../model/yaml/index.js';
import type { KubeObject, Schema } from '../../model/kubernetes/index.js';
import type { TemplateFiller } from './template-filler.js';
import type { Params } from './params.js';

export const RESOURCES_FINALIZER = 'resources-finalizer.argocd.argoproj.io';

/** A generator's own template, with that of the set wherever it says nothing. */
export function mergedTemplate(mine: JsonObject, base: JsonObject): JsonObject {
  const result: JsonObject = { ...mine };
  for (const key of Object.keys(base)) {
    const [here, there] = [own(mine, key), own(base, key) ?? null];
    // Helm's values are one text in another form.
    if (isObject(here) && isObject(there) && key !== 'valuesObject') put(result, key, mergedTemplate(here, there));
    else if (isZero(here)) put(result, key, there);
  }
  return result;
}

/** As Go sees it: what says nothing. */
export function isZero(value: Json | undefined): boolean {
  if (isArray(value)) return value.length === 0;
  if (isObject(value)) return Object.values(value).every((each) => isZero(each));
  return value === undefined || value === null || value === '' || value === false || value === 0;
}

export interface TemplateUse {
  readonly template: JsonObject;
  readonly templatePatch: string;
  readonly namespace: string;
  readonly preservesResources: boolean;
}

/** The Application that parameters make of a template. It stands where its set stands, whatever the template says. */
export function templateApplication(
  { template, templatePatch, namespace, preservesResources }: TemplateUse,
  params: Params,
  filling: TemplateFiller,
): KubeObject {
  // Without any parameter Argo CD takes the template as it is written.
  const isPlain = Object.keys(params).length === 0;
  const filled = isPlain ? template : filling.deep(template, params, 'spec.template');
  const application = applicationOf(isObject(filled) ? filled : {}, !isPlain && !preservesResources);
  const patched = templatePatch === '' ? application : withPatch(application, filling.text(templatePatch, params));
  const name = textAt(patched, 'metadata', 'name');
  if (name === '')
    throw new Fault('VALUE_INVALID', 'spec.template.metadata.name gives an empty name', {
      where: 'spec.template.metadata.name',
    });
  return { ...patched, metadata: { ...patched.metadata, name, namespace } };
}

function applicationOf(template: JsonObject, cascades: boolean): KubeObject {
  const { name, annotations, labels, finalizers } = objectAt(template, 'metadata') ?? {};
  const added = cascades ? [RESOURCES_FINALIZER] : undefined;
  const kept = isArray(finalizers) && finalizers.length > 0 ? finalizers : added;
  const metadata = {
    name: name ?? '',
    ...(isZero(annotations) ? {} : { annotations }),
    ...(isZero(labels) ? {} : { labels }),
    ...(kept === undefined ? {} : { finalizers: kept }),
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata,
    spec: objectAt(template, 'spec') ?? {},
  } as unknown as KubeObject;
}

class Fields extends Map<string, Schema> {
  constructor(private readonly schemaOf: (name: string) => Schema) {
    super();
  }

  override get(name: string): Schema {
    return this.schemaOf(name);
  }
}

/** The kind has no lists that merge by a key; only finalizers are added to one another. */
const ANYTHING: Schema = { properties: new Fields(() => ANYTHING) };
const FINALIZERS: Schema = { type: 'array', patchStrategy: ['merge'], items: { type: 'string' } };
const METADATA: Schema = { properties: new Fields((name) => (name === 'finalizers' ? FINALIZERS : ANYTHING)) };
const APPLICATION: Schema = { properties: new Fields((name) => (name === 'metadata' ? METADATA : ANYTHING)) };

/** The project stays: whoever may write files for a generator must not choose another. */
function withPatch(application: KubeObject, text: string): KubeObject {
  const patch = readPatch(text);
  const patched = applyStrategicMergePatch(application, patch, APPLICATION);
  const spec = objectAt(patched, 'spec') ?? {};
  const project = own(application.spec as JsonObject, 'project');
  put(spec, 'project', project);
  return {
    ...patched,
    apiVersion: application.apiVersion,
    kind: application.kind,
    metadata: objectAt(patched, 'metadata') ?? {},
    spec,
  };
}

function readPatch(text: string): JsonObject {
  const where = 'spec.templatePatch';
  const patch = text.trimStart().startsWith('{')
    ? parseJson(text)
    : readOneYaml(text, { dialect: 'kubernetes', file: where });
  if (patch === null) return {};
  if (!isObject(patch)) throw new Fault('VALUE_INVALID', 'spec.templatePatch must give an object', { where });
  return patch;
}

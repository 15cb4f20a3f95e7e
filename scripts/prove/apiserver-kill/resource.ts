import { drop, isArray, isObject, own, writeJson, type Json, type JsonObject } from '../../../src/model/json/index.js';

/** A kind of object that the writers use: one that is built in, and one that a CRD defines. */
export interface Resource {
  readonly plural: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The field that holds what a writer wrote. */
  readonly field: 'data' | 'spec';
  readonly path: string;
  /** Kinds of a CRD cannot be replaced without naming a resourceVersion. */
  readonly mayReplaceBlindly: boolean;
}

const NAMESPACE = 'durability';

export const RESOURCES: readonly Resource[] = [
  {
    plural: 'configmaps',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    field: 'data',
    path: `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    mayReplaceBlindly: true,
  },
  {
    plural: 'notes',
    apiVersion: 'proof.example.com/v1',
    kind: 'Note',
    field: 'spec',
    path: `/apis/proof.example.com/v1/namespaces/${NAMESPACE}/notes`,
    mayReplaceBlindly: false,
  },
];

const text = { type: 'string' };

/** What must be there before the first write, with the path it is posted to. */
export const PREREQUISITES: readonly (readonly [string, Json])[] = [
  ['/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } }],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'notes.proof.example.com' },
      spec: {
        group: 'proof.example.com',
        scope: 'Namespaced',
        names: { plural: 'notes', singular: 'note', kind: 'Note', listKind: 'NoteList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: { spec: { type: 'object', properties: { by: text, text } } },
              },
            },
          },
        ],
      },
    },
  ],
];

/** One state of one object, as an answer, a list or a watch showed it. */
export interface ObjectState {
  readonly plural: string;
  /** Plural and name: unique, as there is one namespace. */
  readonly key: string;
  readonly revision: number;
  readonly uid: string;
  /** Who wrote it: life/writer/serial. */
  readonly by: string;
  readonly text: string;
  /** All of it but apiVersion and kind, which items of lists do not have. */
  readonly body: string;
}

export function readObjectState(resource: Resource, object: Json | undefined): ObjectState {
  if (!isObject(object)) throw new Error(`not an object: ${String(object)}`);
  let body: string | undefined;
  const metadata = member(object, 'metadata');
  const written = member(object, resource.field);
  return {
    plural: resource.plural,
    key: `${resource.plural}/${word(metadata, 'name')}`,
    revision: Number(word(metadata, 'resourceVersion')),
    uid: word(metadata, 'uid'),
    by: word(written, 'by'),
    text: word(written, 'text'),
    // Most states are never compared, and writing them costs more than all the rest.
    get body() {
      return (body ??= comparable(object));
    },
  };
}

function comparable(object: JsonObject): string {
  const rest = { ...object };
  drop(rest, 'apiVersion');
  drop(rest, 'kind');
  return writeJson(inOrder(rest));
}

export function member(object: JsonObject, key: string): JsonObject {
  const value = own(object, key);
  return isObject(value) ? value : {};
}

export function word(object: JsonObject, key: string): string {
  const value = own(object, key);
  return typeof value === 'string' ? value : '';
}

/** Keys sorted at every level, so that equal objects are equal texts. */
function inOrder(value: Json): Json {
  if (isArray(value)) return value.map(inOrder);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, inOrder(own(value, key) ?? null)]),
  );
}

/** The text that goes with a marker. An object whose text does not fit its marker is a mixture that nobody wrote. */
export function textFor(by: string): string {
  const length = [...by].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1499, 7);
  return `${by} ${'abcdefghij'.repeat(150).slice(0, length)}`;
}

import { formatPointer, isArray, isObject, objectAt, own, parsePointer, type Json } from '../../model/json/index.js';
import { sourceFieldsOf, type SourceField } from '../../model/argo/index.js';
import { readOneYaml, writeYaml } from '../../model/yaml/index.js';
import { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import { looksSecret, namesSecret } from './secret-words.js';
import { objectName, type CheckedObject, type ChecklistInput, type Finding } from './checklist-input.js';

/** Kinds that are made to be in git: what they hold is encrypted, or only says where it is. */
const MADE_FOR_GIT = ['SealedSecret', 'ExternalSecret', 'ClusterExternalSecret', 'CustomResourceDefinition'];
const ROTATE = 'It stays in the git history: rotate it';
/** Of Secrets that describe repositories and clusters: these fields are no secrets. */
const OPEN_FIELDS = [
  'type',
  'url',
  'name',
  'project',
  'server',
  'namespaces',
  'clusterResources',
  'insecure',
  'insecureIgnoreHostKey',
  'enableOCI',
  'enableLfs',
  'forceHttpBasicAuth',
  'username',
];
const SECRET_TYPE = 'argocd.argoproj.io/secret-type';

/** Nothing in git that only few may know. Values are never shown. */
export function checkSecrets(question: ChecklistInput): Finding[] {
  const { application, objects, unseen } = question;
  const found = [...inApplication(application), ...objects.flatMap(inObject)];
  if (unseen !== undefined) return [...found, { state: 'unchecked', message: `its objects: ${unseen.why}` }];
  const isMade = writtenSources(application).some(({ source }) => isObject(source.plugin));
  return isMade && found.length > 0
    ? found.map((finding) => ({
        ...finding,
        state: 'unchecked',
        message: `${finding.message}; a plugin renders the manifests, so it may not be in git`,
      }))
    : found;
}

/** A hydrator has two sources: what is written in either is in git. */
function writtenSources(application: KubeObject): SourceField[] {
  const hydrator = objectAt(application, 'spec', 'sourceHydrator');
  if (hydrator === undefined) return sourceFieldsOf(application);
  return ['drySource', 'syncSource'].map((name) => ({
    source: objectAt(hydrator, name) ?? {},
    path: ['spec', 'sourceHydrator', name],
  }));
}

/**
 * What an Application itself may carry: an address with a password, parameters and values of Helm, variables of a
 * plugin.
 */
function inApplication(application: KubeObject): Finding[] {
  return writtenSources(application).flatMap(({ source, path: field }) => {
    const path = field.map(String);
    const helm = isObject(source.helm) ? source.helm : {};
    const address =
      typeof source.repoURL === 'string' && looksSecret(source.repoURL)
        ? [
            inField(
              [...path, 'repoURL'],
              'the URL contains a password',
              'move it to a repository Secret, and remove it from the URL',
            ),
          ]
        : [];
    const named = [
      ['helm', 'parameters'],
      ['plugin', 'env'],
    ].flatMap(([one = '', two = '']) => {
      const holder = own(source, one);
      const list = isObject(holder) ? own(holder, two) : undefined;
      return isArray(list)
        ? list.flatMap((each, at) =>
            isObject(each) && isSecretValue(String(each.name ?? ''), each.value)
              ? [
                  inField(
                    [...path, one, two, String(at)],
                    `${String(each.name)} is in plain text in git`,
                    'pass the name of a Secret to the chart instead',
                  ),
                ]
              : [],
          )
        : [];
    });
    const values = [
      ['valuesObject', helm.valuesObject],
      ['values', typeof helm.values === 'string' ? readValues(helm.values) : undefined],
    ] as const;
    return [
      ...address,
      ...named,
      ...values.flatMap(([name, value]) =>
        leaves(value)
          .filter(isSecretLeaf)
          .map((leaf) =>
            inField(
              [...path, 'helm', name, ...(name === 'values' ? [] : leaf.path)],
              `${leaf.path.join('.')} is in plain text in git`,
              'pass the name of a Secret to the chart instead',
            ),
          ),
      ),
    ];
  });
}

function inField(path: readonly string[], message: string, remedy: string): Finding {
  return { state: 'fails', field: formatPointer(path), message, remedy: `${remedy}. ${ROTATE}` };
}

function readValues(text: string): Json | undefined {
  try {
    return readOneYaml(text, { dialect: 'kubernetes', file: 'values' });
  } catch (error) {
    // Values that cannot be read make no manifests; no-errors says so.
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

function inObject({ key, target, origin, secretFields: stated }: CheckedObject): Finding[] {
  if (target === undefined || MADE_FOR_GIT.includes(key.kind)) return [];
  const base = { state: 'fails' as const, object: objectName(key), where: origin };
  if (key.group === '' && key.kind === 'Secret') return inSecret(target, stated ?? secretFields(target), base);
  const { metadata: _, status: __, ...rest } = target;
  return [
    ...leaves(rest)
      .filter(isSecretLeaf)
      .map(({ path, value }) => ({
        ...base,
        field: formatPointer(path),
        message: looksSecret(value)
          ? 'a private key, a token or a URL with a password is in git'
          : `${path.at(-1) ?? ''} is in plain text in git`,
        remedy: `move it to a Secret and reference that. ${ROTATE}`,
      })),
    ...variables(rest).map(({ path, name }) => ({
      ...base,
      field: formatPointer(path),
      message: `variable ${name} is in plain text in git`,
      remedy: `read it from a Secret. ${ROTATE}`,
      add: writeYaml({
        env: [{ name, valueFrom: { secretKeyRef: { name: key.name, key: name.toLowerCase().replaceAll('_', '-') } } }],
      }),
    })),
  ];
}

/** The fields of a Secret that git gives a value: neither an empty one nor one that is filled in later. */
export function secretFields(secret: KubeObject): string[] {
  const open = secret.metadata.labels?.[SECRET_TYPE] === undefined ? [] : OPEN_FIELDS;
  return (['data', 'stringData'] as const).flatMap((field) => {
    const values = own(secret, field);
    return isObject(values)
      ? Object.entries(values)
          .filter(
            ([name, value]) =>
              typeof value === 'string' && value.trim() !== '' && !isReference(value) && !open.includes(name),
          )
          .map(([name]) => formatPointer([field, name]))
      : [];
  });
}

function inSecret(
  { metadata: { name = '', namespace } }: KubeObject,
  fields: readonly string[],
  base: Pick<Finding, 'state'> & { readonly object: string; readonly where: string },
): Finding[] {
  if (fields.length === 0) return [];
  const keys = fields.map((field) => parsePointer(field).at(-1) ?? '');
  const add = writeYaml({
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
    spec: {
      secretStoreRef: { kind: 'ClusterSecretStore', name: 'vault' },
      target: { name },
      data: keys.map((key) => ({ secretKey: key, remoteRef: { key: name, property: key } })),
    },
  });
  return [
    {
      ...base,
      field: fields.join(', '),
      message: 'a Secret with plaintext values is in git',
      remedy: `use an ExternalSecret with a vault, or a SealedSecret. ${ROTATE}`,
      add,
    },
  ];
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: string;
}

/** Every text of a value, with its path. Names and values of variables belong together and are looked at apart. */
function leaves(value: Json | undefined, path: readonly string[] = []): Leaf[] {
  if (typeof value === 'string') return [{ path, value }];
  if (isArray(value)) return value.flatMap((each, index) => leaves(each, [...path, String(index)]));
  return isObject(value) ? Object.entries(value).flatMap(([name, each]) => leaves(each, [...path, name])) : [];
}

function isSecretLeaf({ path, value }: Leaf): boolean {
  return looksSecret(value) || isSecretValue(path.at(-1) ?? '', value);
}

/** A name that asks for a secret, with a value that is one: no reference, and nothing that is put in later. */
function isSecretValue(name: string, value: Json | undefined): boolean {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    (looksSecret(value) || (namesSecret(name) && !isReference(value)))
  );
}

/** A switch, or filled in by somebody else: `$(NAME)`, `${NAME}`, `{{ ... }}`, `<path:...>`, `vault:...`. */
function isReference(value: string): boolean {
  return (
    value === 'true' ||
    value === 'false' ||
    value.includes('$(') ||
    value.includes('${') ||
    value.includes('{{') ||
    value.startsWith('<') ||
    value.startsWith('vault:') ||
    value.startsWith('ref+')
  );
}

/** Entries of `env` with a value. */
function variables(
  value: Json | undefined,
  path: readonly string[] = [],
): { readonly path: readonly string[]; readonly name: string }[] {
  if (isArray(value)) {
    return value.flatMap((each, index) => {
      const here = [...path, String(index)];
      const isOne =
        path.at(-1) === 'env' &&
        isObject(each) &&
        typeof each.name === 'string' &&
        !looksSecret(typeof each.value === 'string' ? each.value : '') &&
        isSecretValue(each.name, each.value);
      return [
        ...(isOne && isObject(each) ? [{ path: [...here, 'value'], name: String(each.name) }] : []),
        ...variables(each, here),
      ];
    });
  }
  return isObject(value) ? Object.entries(value).flatMap(([name, each]) => variables(each, [...path, name])) : [];
}

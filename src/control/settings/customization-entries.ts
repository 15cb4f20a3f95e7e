import { isArray, isObject, own, type Json, type JsonObject } from '../../model/json/index.js';
import { writeYaml } from '../../model/yaml/index.js';
import type { Entry } from './entry.js';

const PREFIX = 'resource.customizations';
const IGNORED = ['jsonPointers', 'jqPathExpressions', 'managedFieldsManagers'] as const;

/** The key of a customisation of one kind; group and kind are joined by an underscore. */
export function customizationKey(
  type: 'health' | 'actions' | 'ignoreDifferences',
  group: string,
  kind: string,
): string {
  return `${PREFIX}.${type}.${group === '' ? kind : `${group}_${kind}`}`;
}

/** Health checks, actions and fields that may differ: one key for each kind. */
export function customizationEntries(spec: JsonObject): Entry[] {
  return [
    ...scripts(spec, 'resourceHealthChecks', 'health', 'check'),
    ...scripts(spec, 'resourceActions', 'actions', 'action'),
    ...differences(spec.resourceIgnoreDifferences),
  ];
}

function scripts(
  spec: JsonObject,
  list: 'resourceHealthChecks' | 'resourceActions',
  type: 'health' | 'actions',
  script: 'check' | 'action',
): Entry[] {
  return objectsOf(own(spec, list)).flatMap(({ item, index }) => {
    const value = own(item, script);
    const kind = textOf(item.kind);
    if (typeof value !== 'string' || value === '' || kind === '') return [];
    return [
      {
        map: 'argocd-cm',
        key: customizationKey(type, textOf(item.group), kind),
        value,
        field: `spec.${list}[${index}]`,
      },
    ];
  });
}

function differences(value: Json | undefined): Entry[] {
  if (!isObject(value)) return [];
  const all = isObject(value.all) ? ignored(value.all) : {};
  return [
    ...(Object.keys(all).length === 0
      ? []
      : [
          {
            map: 'argocd-cm' as const,
            key: customizationKey('ignoreDifferences', '', 'all'),
            value: writeYaml(all),
            field: 'spec.resourceIgnoreDifferences.all',
          },
        ]),
    ...objectsOf(value.resourceIdentifiers).flatMap(({ item, index }): Entry[] => {
      const kind = textOf(item.kind);
      if (kind === '' || !isObject(item.customization)) return [];
      return [
        {
          map: 'argocd-cm',
          key: customizationKey('ignoreDifferences', textOf(item.group), kind),
          value: writeYaml(ignored(item.customization)),
          field: `spec.resourceIgnoreDifferences.resourceIdentifiers[${index}]`,
        },
      ];
    }),
  ];
}

/** The lists of fields that may differ. */
export function ignored(customization: JsonObject): JsonObject {
  return Object.fromEntries(
    IGNORED.flatMap((name) => {
      const list = own(customization, name);
      return isArray(list) && list.length > 0 ? [[name, list] as const] : [];
    }),
  );
}

function objectsOf(value: Json | undefined): { item: JsonObject; index: number }[] {
  return (isArray(value) ? value : []).flatMap((item, index) => (isObject(item) ? [{ item, index }] : []));
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

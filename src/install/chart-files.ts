import { put, type JsonObject } from '../model/json/index.js';
import { FIELDS, installValuesSchema, readInstallValues } from './values.js';
import type { Field, Fields } from './field.js';
import { CONTROLLER, type ComponentName, SERVER } from './names.js';
import { rightsOf } from './rights.js';

/** What the chart of an installation has besides its templates, by the name of the file. */
export function chartFiles(version: string): ReadonlyMap<string, string> {
  return new Map([
    ['Chart.yaml', chartText(version)],
    ['values.yaml', valuesYaml(FIELDS)],
    ['values.schema.json', `${JSON.stringify(installValuesSchema(), undefined, 2)}\n`],
    ['rights.json', `${JSON.stringify(rightsTable(), undefined, 1)}\n`],
  ]);
}

function chartText(version: string): string {
  return `${[
    'apiVersion: v2',
    'name: argosy',
    'description: GitOps delivery that is compatible with Argo CD and explains itself',
    'type: application',
    `version: ${version}`,
    `appVersion: ${JSON.stringify(version)}`,
    "kubeVersion: '>=1.25.0-0'",
  ].join('\n')}\n`;
}

/** The rules of both accounts by the values that decide about them. */
function rightsTable(): JsonObject {
  const table: JsonObject = {};
  for (const rights of ['wide', 'narrow'] as const)
    for (const [suffix, given] of [
      ['', {}],
      ['-read-only', { readOnly: true }],
      ['-notebooks', { notebooks: true }],
    ] as const) {
      const namespaces = rights === 'narrow' ? ['any'] : [];
      const installation = {
        values: readInstallValues({ rights, namespaces, ...given }),
        namespace: 'any',
        version: '',
      };
      const of = (component: ComponentName): JsonObject =>
        JSON.parse(JSON.stringify(rightsOf(installation, component))) as JsonObject;
      put(table, `${rights}${suffix}`, { [CONTROLLER]: of(CONTROLLER), [SERVER]: of(SERVER) });
    }
  return table;
}

function valuesYaml(fields: Fields, indent = ''): string {
  return Object.entries(fields)
    .map(([name, field]) => `${indent}# ${field.about}.\n${indent}${name}:${valueText(field, indent)}`)
    .join(indent === '' ? '\n' : '');
}

function valueText(field: Field, indent: string): string {
  switch (field.type) {
    case 'group':
      return `\n${valuesYaml(field.fields, `${indent}  `)}`;
    case 'texts':
    case 'objects':
      return ' []\n';
    case 'map':
      return ` ${JSON.stringify(field.value)}\n`;
    case 'choice':
      return ` ${JSON.stringify(field.value)} # ${field.choices.join(', ')}\n`;
    default:
      return ` ${JSON.stringify(field.value)}\n`;
  }
}

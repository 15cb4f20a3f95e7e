import type { Json, JsonObject } from '../../src/model/json/index.js';
import type { KubeObject } from '../../src/model/kubernetes/index.js';
import { at, items, labels, orNone, pairs, rows, word, words } from './pasted-fields.js';

export const dated = (text: string): string =>
  text === '' ? '<unset>' : new Date(text).toUTCString().replace('GMT', '+0000');

export function placement(spec: Json | undefined, indent: string): string[] {
  const tolerations = items(spec, 'tolerations').map((each) => {
    const seconds = word(each, 'tolerationSeconds');
    const value = word(each, 'value');
    const effect = word(each, 'effect');
    return (
      `${word(each, 'key')}${value === '' ? '' : `=${value}`}${effect === '' ? '' : `:${effect}`}` +
      `${word(each, 'operator') === 'Exists' ? ' op=Exists' : ''}${seconds === '' ? '' : ` for ${seconds}s`}`
    );
  });
  return rows(
    [
      ['Node-Selectors', labels(spec, 'nodeSelector')],
      ['Tolerations', tolerations],
    ],
    indent,
  );
}

export function containers(
  spec: Json | undefined,
  statuses: readonly JsonObject[],
  indent: string,
  isPod: boolean,
): string[] {
  return (['initContainers', 'containers'] as const).flatMap((field) => {
    const list = items(spec, field);
    if (list.length === 0) return [];
    const gap = isPod ? '  ' : ' ';
    return [
      `${indent}${field === 'containers' ? 'Containers' : 'Init Containers'}:`,
      ...list.flatMap((each) => [
        `${indent}${gap}${word(each, 'name')}:`,
        ...container(
          each,
          statuses.find((status) => word(status, 'name') === word(each, 'name')),
        ).map((line) => `${indent}    ${line}`),
      ]),
    ];
  });
}

function container(spec: JsonObject, status: JsonObject | undefined): string[] {
  const ports = items(spec, 'ports').map((port) => {
    const name = word(port, 'name');
    return `${word(port, 'containerPort')}/${word(port, 'protocol') || 'TCP'}${name === '' ? '' : ` (${name})`}`;
  });
  const lines: string[] = [
    ...rows([
      ['Image', word(spec, 'image')],
      [ports.length > 1 ? 'Ports' : 'Port', orNone(ports.join(', '))],
      [ports.length > 1 ? 'Host Ports' : 'Host Port', orNone(ports.map(() => '0/TCP').join(', '))],
    ]),
    ...(['command', 'args'] as const).flatMap((field) => {
      const list = words(spec, field);
      return list.length === 0 ? [] : [`${field === 'args' ? 'Args' : 'Command'}:`, ...list.map((each) => `  ${each}`)];
    }),
    ...stateLines('State', at(status, 'state')),
    ...stateLines('Last State', at(status, 'lastState')),
    ...(status === undefined
      ? []
      : rows([
          ['Ready', word(status, 'ready') === 'true' ? 'True' : 'False'],
          ['Restart Count', word(status, 'restartCount') || '0'],
        ])),
  ];
  for (const [field, name] of [
    ['limits', 'Limits'],
    ['requests', 'Requests'],
  ] as const) {
    const amounts = pairs(spec, 'resources', field);
    if (amounts.length > 0) lines.push(`${name}:`, ...rows(amounts, '  '));
  }
  for (const [field, name] of [
    ['livenessProbe', 'Liveness'],
    ['readinessProbe', 'Readiness'],
    ['startupProbe', 'Startup'],
  ] as const) {
    const text = probe(at(spec, field));
    if (text !== '') lines.push(`${name}:  ${text}`);
  }
  return [...lines, ...environment(spec), ...mounts(spec)];
}

function stateLines(name: string, state: Json | undefined): string[] {
  const [kind, title] =
    (
      [
        ['waiting', 'Waiting'],
        ['running', 'Running'],
        ['terminated', 'Terminated'],
      ] as const
    ).find(([each]) => at(state, each) !== undefined) ?? [];
  if (kind === undefined) return [];
  const detail = (label: string, field: string): string[] => {
    const text = word(state, kind, field);
    return text === '' ? [] : [`  ${`${label}:`.padEnd(14)}${field.endsWith('At') ? dated(text) : text}`];
  };
  return [
    `${name}:          ${title}`,
    ...detail('Reason', 'reason'),
    ...detail('Message', 'message'),
    ...detail('Exit Code', 'exitCode'),
    ...detail('Started', 'startedAt'),
    ...detail('Finished', 'finishedAt'),
  ];
}

function probe(value: Json | undefined): string {
  if (value === undefined) return '';
  const number = (field: string, usual: number): string => word(value, field) || String(usual);
  const times =
    `delay=${number('initialDelaySeconds', 0)}s timeout=${number('timeoutSeconds', 1)}s ` +
    `period=${number('periodSeconds', 10)}s #success=${number('successThreshold', 1)} ` +
    `#failure=${number('failureThreshold', 3)}`;
  if (at(value, 'exec') !== undefined) return `exec [${words(value, 'exec', 'command').join(' ')}] ${times}`;
  if (at(value, 'httpGet') !== undefined)
    return (
      `http-get ${(word(value, 'httpGet', 'scheme') || 'HTTP').toLowerCase()}://:${word(value, 'httpGet', 'port')}` +
      `${word(value, 'httpGet', 'path')} ${times}`
    );
  if (at(value, 'tcpSocket') !== undefined) return `tcp-socket :${word(value, 'tcpSocket', 'port')} ${times}`;
  return `grpc <pod>:${word(value, 'grpc', 'port')} ${word(value, 'grpc', 'service')} ${times}`;
}

function environment(spec: JsonObject): string[] {
  const from = items(spec, 'envFrom').map((each) => {
    const kind = at(each, 'secretRef') === undefined ? 'ConfigMap' : 'Secret';
    const ref = at(each, kind === 'Secret' ? 'secretRef' : 'configMapRef');
    return `  ${word(ref, 'name')}  ${kind}  Optional: ${word(ref, 'optional') || 'false'}`;
  });
  const list = items(spec, 'env').map((each): readonly [string, string] => {
    const [secret, map] = [at(each, 'valueFrom', 'secretKeyRef'), at(each, 'valueFrom', 'configMapKeyRef')];
    const ref = secret ?? map;
    const where = secret === undefined ? 'of config map' : 'in secret';
    const text =
      ref === undefined
        ? word(each, 'value')
        : `<set to the key '${word(ref, 'key')}' ${where} '${word(ref, 'name')}'>  ` +
          `Optional: ${word(ref, 'optional') || 'false'}`;
    const field = word(each, 'valueFrom', 'fieldRef', 'fieldPath');
    return [word(each, 'name'), field === '' ? text : ` (v1:${field})`];
  });
  return [
    ...(from.length === 0 ? [] : ['Environment Variables from:', ...from]),
    ...(list.length === 0 ? ['Environment:  <none>'] : ['Environment:', ...rows(list, '  ')]),
  ];
}

function mounts(spec: JsonObject): string[] {
  const list = items(spec, 'volumeMounts').map(
    (each) =>
      `  ${word(each, 'mountPath')} from ${word(each, 'name')} (${word(each, 'readOnly') === 'true' ? 'ro' : 'rw'})`,
  );
  return list.length === 0 ? ['Mounts:  <none>'] : ['Mounts:', ...list];
}

export function volumes(spec: Json | undefined, indent: string): string[] {
  const list = items(spec, 'volumes');
  if (list.length === 0) return [`${indent}Volumes:  <none>`];
  return [
    `${indent}Volumes:`,
    ...list.flatMap((each) => [`${indent}  ${word(each, 'name')}:`, ...rows(volumeRows(each), `${indent}    `)]),
  ];
}

function volumeRows(each: JsonObject): (readonly [string, string])[] {
  if (at(each, 'persistentVolumeClaim') !== undefined)
    return [
      ['Type', 'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)'],
      ['ClaimName', word(each, 'persistentVolumeClaim', 'claimName')],
      ['ReadOnly', 'false'],
    ];
  if (at(each, 'secret') !== undefined)
    return [
      ['Type', 'Secret (a volume populated by a Secret)'],
      ['SecretName', word(each, 'secret', 'secretName')],
      ['Optional', word(each, 'secret', 'optional') || 'false'],
    ];
  if (at(each, 'configMap') !== undefined)
    return [
      ['Type', 'ConfigMap (a volume populated by a ConfigMap)'],
      ['Name', word(each, 'configMap', 'name')],
      ['Optional', word(each, 'configMap', 'optional') || 'false'],
    ];
  return [['Type', "EmptyDir (a temporary directory that shares a pod's lifetime)"]];
}

export function template(object: KubeObject): string[] {
  const spec = at(object, 'spec', 'template', 'spec');
  const account = word(spec, 'serviceAccountName');
  return [
    'Pod Template:',
    ...rows(
      [
        ['Labels', labels(object, 'spec', 'template', 'metadata', 'labels')],
        ...(account === '' ? [] : [['Service Account', account] as const]),
      ],
      '  ',
    ),
    ...containers(spec, [], '  ', false),
    ...volumes(spec, '  '),
    ...placement(spec, '  '),
  ];
}

import type { Json, JsonObject } from '../../model/json/index.js';
import { conditionsOf, find, linesOf, pairsOf, timeOf, valueOf, type Entry } from './described-entries.js';

/** A pod as it is described: its spec, and what its containers are at. */
export function podOf(entries: readonly Entry[]): JsonObject {
  const [init = [], main = []] = ['Init Containers', 'Containers'].map((name) =>
    containersOf(find(entries, name)?.below ?? []),
  );
  const started = timeOf(valueOf(entries, 'Start Time'));
  const status = valueOf(entries, 'Status').split(/\s/)[0] ?? '';
  return {
    spec: {
      ...podSpecOf(entries),
      ...(valueOf(entries, 'Node') === '' ? {} : { nodeName: valueOf(entries, 'Node').split('/')[0] ?? '' }),
    },
    status: {
      phase: status === 'Terminating' ? 'Running' : status,
      ...(valueOf(entries, 'Reason') === ''
        ? {}
        : { reason: valueOf(entries, 'Reason'), message: valueOf(entries, 'Message') }),
      ...(started === '' ? {} : { startTime: started }),
      conditions: conditionsOf(entries),
      initContainerStatuses: init.map(({ status: each }) => each),
      containerStatuses: main.map(({ status: each }) => each),
    },
  };
}

/** What a pod and the template of a workload have in common. */
export function podSpecOf(entries: readonly Entry[]): JsonObject {
  const [init = [], main = []] = ['Init Containers', 'Containers'].map((name) =>
    containersOf(find(entries, name)?.below ?? []),
  );
  const [account, priority] = [valueOf(entries, 'Service Account'), valueOf(entries, 'Priority Class Name')];
  const selector = pairsOf(find(entries, 'Node-Selectors'));
  return {
    ...(account === '' ? {} : { serviceAccountName: account }),
    ...(priority === '' ? {} : { priorityClassName: priority }),
    ...(Object.keys(selector).length === 0 ? {} : { nodeSelector: selector }),
    tolerations: tolerationsOf(find(entries, 'Tolerations')),
    initContainers: init.map(({ spec }) => spec),
    containers: main.map(({ spec }) => spec),
    volumes: volumesOf(entries),
  };
}

/** The template of a workload; undefined where only a part was pasted. */
export function templateOf(entries: readonly Entry[]): JsonObject | undefined {
  const template = find(entries, 'Pod Template')?.below;
  return template === undefined
    ? undefined
    : { metadata: { labels: pairsOf(find(template, 'Labels')) }, spec: podSpecOf(template) };
}

/** `dedicated=gpu:NoSchedule`, `node.kubernetes.io/not-ready:NoExecute op=Exists for 300s` */
function tolerationsOf(entry: Entry | undefined): JsonObject[] {
  return linesOf(entry).flatMap((line) => {
    if (line.startsWith('op=Exists')) return [{ operator: 'Exists' }];
    const match = /^([^=:\s]+)(?:=([^:\s]*))?(?::(\w+))?(?:\s+(op=Exists))?/.exec(line);
    if (match === null) return [];
    const [, key = '', value, effect, exists] = match;
    return [
      {
        key,
        ...(exists === undefined ? { operator: 'Equal', value: value ?? '' } : { operator: 'Exists' }),
        ...(effect === undefined ? {} : { effect }),
      },
    ];
  });
}

function containersOf(entries: readonly Entry[]): { readonly spec: JsonObject; readonly status: JsonObject }[] {
  return entries
    .filter(({ name, below }) => name !== '' && below.length > 0)
    .map(({ name, below }) => ({
      spec: {
        name,
        image: valueOf(below, 'Image'),
        ports: portNumbers(below),
        env: (find(below, 'Environment')?.below ?? []).map(variableOf),
        envFrom: (find(below, 'Environment Variables from')?.below ?? []).flatMap(sourceOf),
        resources: { limits: amounts(below, 'Limits'), requests: amounts(below, 'Requests') },
        ...wordsOf(below, 'Command', 'command'),
        ...wordsOf(below, 'Args', 'args'),
        ...probesOf(below),
      },
      status: {
        name,
        ready: valueOf(below, 'Ready') === 'True',
        restartCount: Number(valueOf(below, 'Restart Count') || 0),
        state: stateOf(find(below, 'State')),
        lastState: stateOf(find(below, 'Last State')),
      },
    }));
}

function wordsOf(below: readonly Entry[], heading: string, field: string): JsonObject {
  const words = linesOf(find(below, heading));
  return words.length === 0 ? {} : { [field]: words };
}

function portNumbers(below: readonly Entry[]): JsonObject[] {
  return (valueOf(below, 'Port') || valueOf(below, 'Ports')).split(',').flatMap((text) => {
    const match = /(\d+)\/(\w+)(?:\s+\(([\w-]+)\))?/.exec(text);
    return match === null || match[1] === '0'
      ? []
      : [
          {
            containerPort: Number(match[1]),
            protocol: match[2] ?? 'TCP',
            ...(match[3] === undefined ? {} : { name: match[3] }),
          },
        ];
  });
}

function amounts(below: readonly Entry[], name: string): JsonObject {
  return Object.fromEntries((find(below, name)?.below ?? []).map((entry): [string, Json] => [entry.name, entry.value]));
}

function variableOf({ name, value }: Entry): JsonObject {
  const match =
    /^<set to the key '([^']+)' (?:in|of) (secret|config map) '([^']+)'>(?:\s+Optional: (true|false))?/.exec(value);
  if (match === null) return { name, value };
  return {
    name,
    valueFrom: {
      [match[2] === 'secret' ? 'secretKeyRef' : 'configMapKeyRef']: {
        name: match[3] ?? '',
        key: match[1] ?? '',
        optional: match[4] === 'true',
      },
    },
  };
}

/** `settings  ConfigMap  Optional: false` */
function sourceOf({ raw }: Entry): JsonObject[] {
  const match = /^(\S+)\s+(Secret|ConfigMap)\b.*?Optional: (true|false)/.exec(raw);
  return match === null
    ? []
    : [
        {
          [match[2] === 'Secret' ? 'secretRef' : 'configMapRef']: {
            name: match[1] ?? '',
            optional: match[3] === 'true',
          },
        },
      ];
}

function stateOf(entry: Entry | undefined): JsonObject {
  if (entry === undefined) return {};
  const [reason = '', message = '', code = '', ended = ''] = ['Reason', 'Message', 'Exit Code', 'Finished'].map(
    (name) => valueOf(entry.below, name),
  );
  if (entry.value === 'Waiting') return { waiting: { reason, message } };
  if (entry.value === 'Running') return { running: {} };
  return entry.value === 'Terminated'
    ? {
        terminated: {
          reason,
          message,
          exitCode: Number(code),
          ...(timeOf(ended) === '' ? {} : { finishedAt: timeOf(ended) }),
        },
      }
    : {};
}

/** `http-get http://:8080/healthz delay=0s timeout=1s period=10s #success=1 #failure=3` */
function probesOf(below: readonly Entry[]): JsonObject {
  return Object.fromEntries(
    [
      ['Liveness', 'livenessProbe'],
      ['Readiness', 'readinessProbe'],
      ['Startup', 'startupProbe'],
    ].flatMap(([heading = '', field = '']) => {
      const text = valueOf(below, heading);
      if (text === '') return [];
      const number = (name: string): number => Number(new RegExp(`${name}=(\\d+)`).exec(text)?.[1] ?? 0);
      const address = /^http-get (https?):\/\/[^:/]*:([\w-]+)(\S*)/.exec(text);
      const socket = /^tcp-socket [^:]*:([\w-]+)/.exec(text);
      const call = /^grpc [^:]*:(\d+) (.*?) ?delay=/.exec(text);
      const words = /^exec \[(.*?)\] delay=/.exec(text)?.[1];
      const port = (word = ''): Json => (/^\d+$/.test(word) ? Number(word) : word);
      return [
        [
          field,
          {
            ...(address === null
              ? {}
              : {
                  httpGet: {
                    scheme: (address[1] ?? '').toUpperCase(),
                    port: port(address[2]),
                    path: address[3] ?? '/',
                  },
                }),
            ...(socket === null ? {} : { tcpSocket: { port: port(socket[1]) } }),
            ...(call === null
              ? {}
              : { grpc: { port: Number(call[1]), ...((call[2] ?? '') === '' ? {} : { service: call[2] ?? '' }) } }),
            ...(words === undefined ? {} : { exec: { command: words.split(' ') } }),
            initialDelaySeconds: number('delay'),
            timeoutSeconds: number('timeout'),
            periodSeconds: number('period'),
            failureThreshold: number('#failure'),
          },
        ] as const,
      ];
    }),
  );
}

function volumesOf(entries: readonly Entry[]): JsonObject[] {
  return (find(entries, 'Volumes')?.below ?? []).flatMap(({ name, below }): JsonObject[] => {
    const [claim, secret] = [valueOf(below, 'ClaimName'), valueOf(below, 'SecretName')];
    if (claim !== '') return [{ name, persistentVolumeClaim: { claimName: claim } }];
    if (secret !== '' && valueOf(below, 'Type').startsWith('Secret'))
      return [{ name, secret: { secretName: secret, optional: valueOf(below, 'Optional') === 'true' } }];
    return valueOf(below, 'Type').startsWith('ConfigMap')
      ? [{ name, configMap: { name: valueOf(below, 'Name'), optional: valueOf(below, 'Optional') === 'true' } }]
      : [];
  });
}

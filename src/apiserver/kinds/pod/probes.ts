import { own, type Json, type JsonObject } from '../../../model/json/index.js';
import { count, has, items, maybe, number, text } from '../../resources/index.js';
import { httpHeaderName, portName, portNumber } from '../validation/name-rules.js';
import type { FieldErrors } from '../validation/field-errors.js';

type Handler = (to: FieldErrors, handler: JsonObject, field: string, gracePeriod: number) => void;

const HANDLERS: readonly (readonly [string, Handler])[] = [
  [
    'exec',
    (to, exec, field) => {
      if (!Array.isArray(exec.command) || exec.command.length === 0) to.required(`${field}.command`);
    },
  ],
  [
    'httpGet',
    (to, get, field) => {
      to.needs(get, field, 'path');
      checkPort(to, own(get, 'port'), `${field}.port`);
      to.oneOf(get, field, 'scheme', ['HTTP', 'HTTPS']);
      for (const header of items(get, 'httpHeaders'))
        to.invalidEach(`${field}.httpHeaders`, text(header, 'name'), httpHeaderName(text(header, 'name')));
    },
  ],
  ['tcpSocket', (to, socket, field) => checkPort(to, own(socket, 'port'), `${field}.port`)],
  ['grpc', (to, grpc, field) => checkPort(to, own(grpc, 'port'), `${field}.port`)],
  [
    'sleep',
    (to, sleep, field, gracePeriod) => {
      const seconds = count(sleep, 'seconds');
      if (seconds < 0 || seconds > gracePeriod)
        to.invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`);
    },
  ],
];

/** A port by number or by name. */
export function checkPort(to: FieldErrors, port: Json | undefined, field: string): void {
  if (typeof port === 'string') to.invalidEach(field, port, portName(port));
  else to.invalidEach(field, port ?? 0, portNumber(Number(port ?? 0)));
}

function checkHandler(
  to: FieldErrors,
  holder: JsonObject,
  field: string,
  gracePeriod: number,
  allowed: readonly string[],
): void {
  let found = 0;
  for (const [name, check] of HANDLERS) {
    const handler = allowed.includes(name) ? maybe(holder, name) : undefined;
    if (handler === undefined) continue;
    if (found++ > 0) to.forbidden(`${field}.${name}`, 'may not specify more than 1 handler type');
    else check(to, handler, `${field}.${name}`, gracePeriod);
  }
  if (found === 0) to.required(field, 'must specify a handler type');
}

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

export function checkProbes(to: FieldErrors, container: JsonObject, field: string, gracePeriod: number): void {
  for (const kind of PROBES) {
    const probe = maybe(container, kind);
    if (probe === undefined) continue;
    const path = `${field}.${kind}`;
    checkHandler(to, probe, path, gracePeriod, ['exec', 'httpGet', 'tcpSocket', 'grpc']);
    to.nonNegative(
      probe,
      path,
      'initialDelaySeconds',
      'timeoutSeconds',
      'periodSeconds',
      'successThreshold',
      'failureThreshold',
    );
    const grace = number(probe, 'terminationGracePeriodSeconds');
    if (grace !== undefined && grace <= 0)
      to.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must be greater than 0');
    if (kind === 'readinessProbe') {
      if (grace !== undefined)
        to.invalid(`${path}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes');
    } else if (number(probe, 'successThreshold') !== 1)
      to.invalid(`${path}.successThreshold`, count(probe, 'successThreshold'), 'must be 1');
  }
}

export function checkLifecycle(
  to: FieldErrors,
  container: JsonObject,
  field: string,
  gracePeriod: number,
  os: string,
): void {
  const lifecycle = maybe(container, 'lifecycle');
  if (lifecycle === undefined) return;
  for (const hook of ['postStart', 'preStop']) {
    const handler = maybe(lifecycle, hook);
    if (handler !== undefined)
      checkHandler(to, handler, `${field}.lifecycle.${hook}`, gracePeriod, ['exec', 'httpGet', 'tcpSocket', 'sleep']);
  }
  if (has(lifecycle, 'stopSignal') && os === '')
    to.forbidden(`${field}.lifecycle.stopSignal`, 'may not be set for containers with empty `spec.os.name`');
}

/** An init container that ends may have neither probes nor hooks. */
export function forbidProbes(to: FieldErrors, container: JsonObject, field: string): void {
  for (const key of ['lifecycle', ...PROBES]) {
    if (has(container, key))
      to.forbidden(`${field}.${key}`, 'may not be set for init containers without restartPolicy=Always');
  }
}

import { type Json, objectsAt } from '../../../model/json/index.js';
import { textAt, textsAt } from '../../json/index.js';

/** A host and port in a text, as written. */
export interface HostName {
  readonly service: string;
  /** Empty where only the bare name is given: then it is one of the same namespace. */
  readonly namespace: string;
  readonly port: number | undefined;
  readonly field: string;
  readonly text: string;
}

const LABEL = /([a-z0-9](?:[-a-z0-9]*[a-z0-9])?)/.source;
const PORT = /(?::(\d{1,5}))?/.source;
/** A pod of a StatefulSet has a name of its own below that of its Service. */
const POD = /(?:[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\.)?/.source;
const CLUSTER_NAME = new RegExp(`(?:^|[/@=,\\s"'([])${POD}${LABEL}\\.${LABEL}\\.svc(?:\\.[a-z0-9.-]+)?${PORT}`, 'g');
const URL_HOST = new RegExp(
  `\\b([a-z][a-z0-9+.-]*):\\/\\/(?:[^/@\\s]*@)?${LABEL}(?:\\.${LABEL})?${PORT}(?=[/?\\s"',;]|$)`,
  'g',
);
/** What stands before `://` of an address; other words make names of it, such as `kubernetes://` or `s3://`. */
const PROTOCOLS = new Set([
  ...['http', 'https', 'ws', 'wss', 'grpc', 'grpcs', 'h2c', 'tcp', 'udp', 'tls', 'ssl', 'ftp', 'sftp', 'ssh', 'dns'],
  ...['redis', 'rediss', 'mysql', 'mariadb', 'postgres', 'postgresql', 'mongodb', 'cockroachdb', 'clickhouse'],
  ...['sqlserver', 'oracle', 'cassandra', 'neo4j', 'bolt', 'couchdb', 'elasticsearch', 'opensearch', 'influxdb'],
  ...['amqp', 'amqps', 'mqtt', 'mqtts', 'nats', 'kafka', 'pulsar', 'stomp', 'zookeeper', 'etcd', 'consul', 'nacos'],
  ...['memcached', 'ldap', 'ldaps', 'smtp', 'smtps', 'imap', 'dubbo', 'thrift', 'statsd', 'syslog', 'otlp', 'lb'],
]);
const BARE_HOST = /^([a-z](?:[-a-z0-9]*[a-z0-9])?)(?:\.([a-z0-9](?:[-a-z0-9]*[a-z0-9])?))?:(\d{2,5})$/;
const HOST_VARIABLE = /(HOST|ADDR|ADDRESS|ENDPOINT|URL|URI|SERVER|SERVICE|HOSTNAME)S?$/;
const PLAIN_NAME = /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/;

/** Services that a container's environment, command and arguments name. */
export function hostNames(container: Json | undefined, field: string): HostName[] {
  const found: HostName[] = [];
  const read = (text: string, where: string): void => void found.push(...hostsIn(text, where));
  objectsAt(container, 'env').forEach((variable, index) => {
    const [name, value] = [textAt(variable, 'name'), textAt(variable, 'value')];
    const where = `${field}.env[${index}].value`;
    read(value, where);
    // A variable named like a host with a single word is a Service of the namespace.
    if (HOST_VARIABLE.test(name.toUpperCase()) && PLAIN_NAME.test(value))
      found.push({ service: value, namespace: '', port: undefined, field: where, text: value });
  });
  textsAt(container, 'command').forEach((text, index) => read(text, `${field}.command[${index}]`));
  textsAt(container, 'args').forEach((text, index) => read(text, `${field}.args[${index}]`));
  return found;
}

export function hostsIn(text: string, field: string): HostName[] {
  if (text.length > 4_000 || !/[.:]/.test(text)) return [];
  const named = [...text.matchAll(CLUSTER_NAME)].map((match) => hostName(match, field));
  if (named.length > 0) return named;
  const urls = [...text.matchAll(URL_HOST)].flatMap(([whole, protocol = '', ...parts]) =>
    PROTOCOLS.has(protocol.split('+')[0] ?? '') || parts[2] !== undefined ? [hostName([whole, ...parts], field)] : [],
  );
  if (urls.length > 0) return urls;
  const bare = BARE_HOST.exec(text);
  return bare === null ? [] : [hostName(bare, field)];
}

function hostName([, service = '', namespace = '', port]: readonly (string | undefined)[], field: string): HostName {
  return {
    service,
    namespace,
    port: port === undefined ? undefined : Number(port),
    field,
    text: [service, ...(namespace === '' ? [] : [namespace])].join('.') + (port === undefined ? '' : `:${port}`),
  };
}

/** The Service that an address means, if it is one inside of the cluster. */
export function clusterHost(
  address: string,
): { readonly service: string; readonly namespace: string; readonly port: number | undefined } | undefined {
  const host = address.replace(/^[a-z][a-z0-9+.-]*:\/\//, '').split('/')[0] ?? '';
  const match = /^([a-z0-9][-a-z0-9]*)\.([a-z0-9][-a-z0-9]*)(?:\.svc(?:\.[-a-z0-9.]+)?)?(?::(\d+))?$/.exec(host);
  if (match === null) return undefined;
  const [, service = '', namespace = '', port] = match;
  // `vault.example:8200` without `.svc` may be a host of the world outside; the caller knows the namespaces.
  return { service, namespace, port: port === undefined ? undefined : Number(port) };
}

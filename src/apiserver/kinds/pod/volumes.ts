import { own, type JsonObject } from '../../../model/json/index.js';
import { checkClaimSpec } from '../validation/claim-spec.js';
import { count, has, items, maybe, number, sub, text } from '../../resources/index.js';
import { checkTemplateMetadata } from '../validation/label-selectors.js';
import { dnsLabel, subdomain } from '../validation/name-rules.js';
import { checkResourceFieldRef, checkFieldRef, VOLUME_FIELD_PATHS } from './env.js';
import { compareQuantities } from '../validation/quantities.js';
import type { FieldErrors } from '../validation/field-errors.js';

const FILE_MODE = 'must be a number between 0 and 0777 (octal), both inclusive';
const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const MORE_THAN_ONE = 'may not specify more than 1 volume type';

/** The checks of each volume source, in the order of the real server. */
const SOURCES: readonly (readonly [string, (to: FieldErrors, source: JsonObject, field: string) => void])[] = [
  [
    'emptyDir',
    (to, source, field) => {
      if (compareQuantities(text(source, 'sizeLimit') || '0', '0') < 0)
        to.forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity');
    },
  ],
  ['hostPath', checkHostPath],
  [
    'gitRepo',
    (to, source, field) => {
      to.needs(source, field, 'repository');
      checkLocalPath(to, `${field}.directory`, text(source, 'directory'));
    },
  ],
  [
    'gcePersistentDisk',
    (to, source, field) => to.needs(source, field.replace(/gcePersistentDisk$/, 'persistentDisk'), 'pdName'),
  ],
  ['awsElasticBlockStore', (to, source, field) => to.needs(source, field, 'volumeID')],
  ['secret', (to, source, field) => checkKeyedFiles(to, source, field, 'secretName')],
  ['nfs', checkNfs],
  ['iscsi', (to, source, field) => to.needs(source, field, 'targetPortal', 'iqn')],
  ['glusterfs', (to, source, field) => to.needs(source, field, 'endpoints', 'path')],
  [
    'flocker',
    (to, source, field) => {
      if (text(source, 'datasetName') === '' && text(source, 'datasetUUID') === '')
        to.required(field, 'one of datasetName and datasetUUID is required');
    },
  ],
  ['persistentVolumeClaim', (to, source, field) => to.needs(source, field, 'claimName')],
  [
    'rbd',
    (to, source, field) => {
      if (items(source, 'monitors').length === 0 && !Array.isArray(source.monitors)) to.required(`${field}.monitors`);
      to.needs(source, field, 'image');
    },
  ],
  ['cinder', (to, source, field) => to.needs(source, field, 'volumeID')],
  [
    'cephfs',
    (to, source, field) => {
      if (!Array.isArray(source.monitors) || source.monitors.length === 0) to.required(`${field}.monitors`);
    },
  ],
  ['quobyte', (to, source, field) => to.needs(source, field, 'registry', 'volume')],
  [
    'downwardAPI',
    (to, source, field) => {
      checkMode(to, source, 'defaultMode', field);
      for (const file of items(source, 'items')) checkDownwardFile(to, file, field);
    },
  ],
  ['fc', () => undefined],
  ['flexVolume', (to, source, field) => to.needs(source, field, 'driver')],
  ['configMap', (to, source, field) => checkKeyedFiles(to, source, field, 'name')],
  ['azureFile', (to, source, field) => to.needs(source, field, 'secretName', 'shareName')],
  ['vsphereVolume', (to, source, field) => to.needs(source, field, 'volumePath')],
  ['photonPersistentDisk', (to, source, field) => to.needs(source, field, 'pdID')],
  ['portworxVolume', (to, source, field) => to.needs(source, field, 'volumeID')],
  ['azureDisk', (to, source, field) => to.needs(source, field, 'diskName', 'diskURI')],
  ['storageos', () => undefined],
  ['projected', checkProjected],
  ['scaleIO', (to, source, field) => to.needs(source, field, 'gateway', 'system')],
  ['csi', checkCsi],
  ['ephemeral', checkEphemeral],
];

/** Names of the volumes that are sound; mounts may refer only to those. */
export type Volumes = ReadonlyMap<string, JsonObject>;

export function checkVolumes(to: FieldErrors, spec: JsonObject, podName: string, field: string): Volumes {
  const sound = new Map<string, JsonObject>();
  items(spec, 'volumes').forEach((volume, index) => {
    const before = to.errors.length;
    const path = `${field}[${index}]`;
    checkVolumeSource(to, volume, path, podName);
    const name = text(volume, 'name');
    if (name === '') to.required(`${path}.name`);
    else to.invalidEach(`${path}.name`, name, dnsLabel(name));
    if (sound.has(name)) to.duplicate(`${path}.name`, name);
    if (to.errors.length === before) sound.set(name, volume);
  });
  return sound;
}

function checkVolumeSource(to: FieldErrors, volume: JsonObject, path: string, podName: string): void {
  let found = 0;
  for (const [name, check] of SOURCES) {
    const source = maybe(volume, name);
    if (source === undefined) continue;
    if (found++ > 0) to.forbidden(`${path}.${name}`, MORE_THAN_ONE);
    else check(to, source, `${path}.${name}`);
  }
  if (found === 0) to.required(path, 'must specify a volume type');
  const name = text(volume, 'name');
  if (has(volume, 'ephemeral') && podName !== '' && name !== '') {
    const claim = `${podName}-${name}`;
    to.invalidEach(
      `${path}.name`,
      name,
      subdomain(claim).map((complaint) => `PVC name ${JSON.stringify(claim)}: ${complaint}`),
    );
  }
}

function checkMode(to: FieldErrors, holder: JsonObject, key: string, field: string): void {
  const mode = number(holder, key);
  if (mode !== undefined && (mode > 0o777 || mode < 0)) to.invalid(`${field}.${key}`, mode, FILE_MODE);
}

function checkKeyedFiles(to: FieldErrors, source: JsonObject, field: string, nameKey: string): void {
  to.needs(source, field, nameKey);
  checkMode(to, source, 'defaultMode', field);
  items(source, 'items').forEach((item, index) => checkKeyToPath(to, item, `${field}.items[${index}]`));
}

function checkKeyToPath(to: FieldErrors, item: JsonObject, field: string): void {
  to.needs(item, field, 'key', 'path');
  checkLocalPath(to, `${field}.path`, text(item, 'path'));
  checkMode(to, item, 'mode', field);
}

export function checkNoBacksteps(to: FieldErrors, field: string, path: string): void {
  if (path.split('/').includes('..')) to.invalid(field, path, "must not contain '..'");
}

/** A path below some root: relative, and never climbing out. */
export function checkDescendingPath(to: FieldErrors, field: string, path: string): void {
  if (path.startsWith('/')) to.invalid(field, path, 'must be a relative path');
  checkNoBacksteps(to, field, path);
}

function checkLocalPath(to: FieldErrors, field: string, path: string): void {
  checkDescendingPath(to, field, path);
  if (path.startsWith('..') && !path.startsWith('../')) to.invalid(field, path, "must not start with '..'");
}

function checkHostPath(to: FieldErrors, source: JsonObject, field: string): void {
  const path = text(source, 'path');
  if (path === '') return to.required(`${field}.path`);
  checkNoBacksteps(to, `${field}.path`, path);
  to.oneOf(source, field, 'type', HOST_PATH_TYPES);
}

function checkNfs(to: FieldErrors, source: JsonObject, field: string): void {
  to.needs(source, field, 'server', 'path');
  const path = text(source, 'path');
  if (!path.startsWith('/')) to.invalid(`${field}.path`, path, 'must be an absolute path');
}

export function checkDriverName(to: FieldErrors, field: string, driver: string): void {
  if (driver === '') to.required(field);
  if (driver.length > 63) to.tooLong(field, 63);
  to.invalidEach(field, driver, subdomain(driver.toLowerCase()));
}

function checkCsi(to: FieldErrors, source: JsonObject, field: string): void {
  checkDriverName(to, `${field}.driver`, text(source, 'driver'));
  const secret = maybe(source, 'nodePublishSecretRef');
  if (secret === undefined) return;
  const name = text(secret, 'name');
  if (name === '') to.required(`${field}.nodePublishSecretRef.name`);
  else to.invalidEach(`${field}.name`, name, subdomain(name));
}

function checkEphemeral(to: FieldErrors, source: JsonObject, field: string): void {
  const template = maybe(source, 'volumeClaimTemplate');
  if (template === undefined) return to.required(`${field}.volumeClaimTemplate`);
  checkTemplateMetadata(to, sub(template, 'metadata'), `${field}.volumeClaimTemplate.metadata`);
  checkClaimSpec(to, sub(template, 'spec'), `${field}.volumeClaimTemplate.spec`);
}

function checkDownwardFile(to: FieldErrors, file: JsonObject, field: string): void {
  const path = text(file, 'path');
  if (path === '') to.required(`${field}.path`);
  checkLocalPath(to, `${field}.path`, path);
  const fieldRef = maybe(file, 'fieldRef');
  const resource = maybe(file, 'resourceFieldRef');
  if (fieldRef !== undefined) {
    checkFieldRef(to, fieldRef, VOLUME_FIELD_PATHS, `${field}.fieldRef`);
    if (resource !== undefined)
      to.invalid(field, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
  } else if (resource !== undefined) checkResourceFieldRef(to, resource, `${field}.resourceFieldRef`, 'volume');
  else to.required(field, 'one of fieldRef and resourceFieldRef is required');
  checkMode(to, file, 'mode', field);
}

function checkProjected(to: FieldErrors, projected: JsonObject, field: string): void {
  checkMode(to, projected, 'defaultMode', field);
  const paths = new Set<string>();
  const take = (path: string, printed: string): void => {
    if (path === '') return;
    if (paths.has(path)) to.invalid(field, printed, 'conflicting duplicate paths');
    paths.add(path);
  };
  items(projected, 'sources').forEach((source, index) => {
    const path = `${field}.sources[${index}]`;
    const kinds = [
      'secret',
      'configMap',
      'downwardAPI',
      'serviceAccountToken',
      'clusterTrustBundle',
      'podCertificate',
    ].filter((kind) => has(source, kind));
    for (const kind of ['secret', 'configMap']) {
      const keyed = maybe(source, kind);
      if (keyed === undefined) continue;
      to.needs(keyed, `${path}.${kind}`, 'name');
      items(keyed, 'items').forEach((item, at) => {
        checkKeyToPath(to, item, `${path}.${kind}.items[${at}]`);
        take(text(item, 'path'), text(keyed, 'name'));
      });
    }
    for (const file of items(maybe(source, 'downwardAPI'), 'items')) {
      checkDownwardFile(to, file, `${path}.downwardAPI`);
      take(text(file, 'path'), text(file, 'path'));
    }
    const token = maybe(source, 'serviceAccountToken');
    if (token !== undefined) checkToken(to, token, `${path}.serviceAccountToken`, field);
    if (kinds.length > 1) to.forbidden(path, 'may not specify more than 1 volume type per source');
  });
}

function checkToken(to: FieldErrors, token: JsonObject, field: string, projected: string): void {
  const seconds = own(token, 'expirationSeconds') ?? 0;
  if (count(token, 'expirationSeconds') < 600)
    to.invalid(`${field}.expirationSeconds`, seconds, 'may not specify a duration less than 10 minutes');
  if (count(token, 'expirationSeconds') > 2 ** 32)
    to.invalid(`${field}.expirationSeconds`, seconds, 'may not specify a duration larger than 2^32 seconds');
  const path = text(token, 'path');
  if (path === '') to.required(`${projected}.path`);
  else checkLocalPath(to, `${projected}.path`, path);
}

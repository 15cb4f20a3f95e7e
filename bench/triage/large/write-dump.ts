import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/model/json/index.js';
import { componentEvents, componentObjects } from './component-objects.js';
import { CREATED, fleetOf, nodesOf, type Fault, type FleetApplication, type FleetSize } from './fleet.js';
import { applicationObject, nodeObject, sharedObjects } from './shared-objects.js';
import { writtenBy } from './written-by.js';

/** What was written, and what is true of it. */
export interface Dump {
  readonly objects: number;
  readonly events: number;
  readonly bytes: number;
  /** Objects of which any names the fault, as `Kind/name`. */
  readonly faults: ReadonlyMap<string, ReadonlySet<string>>;
  readonly brokenApplications: number;
}

/** One list as `kubectl get KIND -A -o json --show-managed-fields` prints it, written as it comes. */
class ListFile {
  readonly #file: number;
  #waiting: string[] = [];
  #size = 0;
  #isFirst = true;
  bytes = 0;

  constructor(path: string) {
    this.#file = openSync(path, 'w');
    this.#write('{\n    "apiVersion": "v1",\n    "items": [\n');
  }

  add(object: JsonObject): void {
    const text = JSON.stringify(object, null, 4).replaceAll('\n', '\n        ');
    this.#write(`${this.#isFirst ? '' : ',\n'}        ${text}`);
    this.#isFirst = false;
  }

  close(): void {
    this.#write('\n    ],\n    "kind": "List",\n    "metadata": {\n        "resourceVersion": ""\n    }\n}\n');
    this.#flush();
    closeSync(this.#file);
  }

  #write(text: string): void {
    this.#waiting.push(text);
    this.#size += text.length;
    if (this.#size > 4 * 1024 * 1024) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#waiting.join(''));
    for (let at = 0; at < bytes.length; ) at += writeSync(this.#file, bytes, at);
    this.bytes += bytes.length;
    this.#waiting = [];
    this.#size = 0;
  }
}

/** Writes the dump of a whole fleet into a folder, a file for each kind. */
export function writeDump(folder: string, size: FleetSize): Dump {
  const files = new Map<string, ListFile>();
  const counts = { objects: 0, events: 0 };
  const add = (object: JsonObject): void => {
    const kind = String(object.kind).toLowerCase();
    let file = files.get(kind);
    if (file === undefined) files.set(kind, (file = new ListFile(join(folder, `${kind}.json`))));
    counts[kind === 'event' ? 'events' : 'objects']++;
    file.add(
      kind === 'event'
        ? object
        : { ...object, metadata: { ...(object.metadata as JsonObject), managedFields: writtenBy(CREATED, object) } },
    );
  };
  for (const object of sharedObjects(size.namespaces)) add(object);
  for (let index = 0; index < nodesOf(size); index++) add(nodeObject(index));
  const fleet = fleetOf(size);
  for (const application of fleet) {
    add(applicationObject(application));
    for (const component of application.components)
      for (const object of [...componentObjects(component), ...componentEvents(component)]) add(object);
  }
  for (const file of files.values()) file.close();
  return {
    ...counts,
    bytes: [...files.values()].reduce((sum, { bytes }) => sum + bytes, 0),
    faults: faultsOf(fleet),
    brokenApplications: fleet.filter(
      ({ isLost, components }) => isLost || components.some(({ fault }) => fault !== undefined),
    ).length,
  };
}

const NAMED: Readonly<Partial<Record<Fault, string>>> = {
  store: 'ClusterSecretStore/vault-edge',
  class: 'StorageClass/fast',
};

function faultsOf(fleet: readonly FleetApplication[]): Map<string, Set<string>> {
  const faults = new Map<string, Set<string>>();
  const add = (fault: string, ...objects: readonly string[]): void => {
    const known = faults.get(fault) ?? new Set();
    for (const object of objects) known.add(object);
    faults.set(fault, known);
  };
  for (const { name, isLost, components } of fleet) {
    if (isLost) add('revision', `Application/${name}`);
    for (const { name: part, fault } of components)
      if (fault !== undefined)
        add(
          fault,
          NAMED[fault] ?? `Deployment/${part}`,
          ...(fault === 'class' ? [`PersistentVolumeClaim/${part}-data`] : []),
        );
  }
  return faults;
}

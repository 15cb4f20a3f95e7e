import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readOneYaml } from '../../../src/model/yaml/index.js';

/** One fault, as a file of `cases/` has it: what is there, what then goes wrong, and how triage has to name it. */
export interface NodeFault {
  /** Its kind; the name decides whether it is held out. */
  readonly fault: string;
  /** Of the file it stands in. */
  readonly category: string;
  readonly says: string;
  /** What has to be changed, as `app/NAME`, `node/NAME` or `namespace/NAME`. */
  readonly component: string;
  /** Codes of triage that are its name. */
  readonly codes: readonly string[];
  /** Where a code is about several faults: what field or title have to say. */
  readonly names?: string;
  /** The shop runs first; extra environment by its parts. */
  readonly shop?: Shop;
  /** What is there before, beside the shop. */
  readonly given?: readonly FaultObject[];
  /** A Deployment `web` of busybox whose container, pod and spec are merged from these. */
  readonly container?: object;
  readonly pod?: object;
  readonly deployment?: object;
  readonly objects?: readonly FaultObject[];
  readonly change?: readonly Change[];
  /** Commands in the namespaces of the node, and those that take them back. */
  readonly inside?: readonly (readonly string[])[];
  readonly undo?: readonly (readonly string[])[];
  /** A program of the node that is stopped. */
  readonly stop?: 'kubelet' | 'containerd';
  /** Takes back what it changed outside of its namespace. */
  readonly restore?: readonly Change[];
  /** It is about the whole node, so nothing else happens meanwhile. */
  readonly alone?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  /** Seconds after it began, where the usual ones are too early. */
  readonly moments?: readonly number[];
  /** One of the recorded faults that the embedded cluster claims to simulate. */
  readonly simulated?: boolean;
}

export type FaultObject = { readonly kind: string; readonly metadata: { readonly name: string } };

export interface Shop {
  readonly style?: string;
  readonly front?: Readonly<Record<string, string>>;
  readonly store?: Readonly<Record<string, string>>;
  readonly database?: Readonly<Record<string, string>>;
}

export type Change =
  | { readonly of: string; readonly in?: string; readonly merge: object }
  | { readonly env: string; readonly set: Readonly<Record<string, string | null>> }
  | { readonly drop: string }
  | { readonly make: FaultObject };

/** Of a fault in seconds, unless it says otherwise: at once, after a while, and when back-off has grown. */
export const MOMENTS = [12, 30, 60];

export function readFaults(): NodeFault[] {
  const folder = join(import.meta.dirname, 'cases');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => {
      const faults = readOneYaml(readFileSync(join(folder, file), 'utf8'), {
        dialect: 'kubernetes',
        file,
      }) as unknown as Omit<NodeFault, 'category'>[];
      return faults.map((fault) => ({ ...fault, category: basename(file, '.yaml') }));
    });
}

/** In which it happens. */
export function namespaceOf({ fault }: NodeFault): string {
  return `f-${fault}`;
}

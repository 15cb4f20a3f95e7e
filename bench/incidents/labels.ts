import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An incident that somebody else caused and labelled. */
export interface Incident {
  readonly name: string;
  readonly file: string;
  readonly category: string;
  readonly fault: string;
  /** `app/NAME`, `node/NAME` or `namespace/NAME`. */
  readonly component: string;
  readonly namespace: string;
  /** What experts looked at: each list alone led them to the cause. */
  readonly expertPaths: readonly (readonly string[])[];
  /** Whether the dump has anything of the fault: else only metrics or the status of a host service would show it. */
  readonly hasEvidence: boolean;
  /** Which codes are its name, where the label itself says so. */
  readonly reading?: Reading;
}

/** Which codes are a name of a fault. */
export interface Reading {
  readonly codes: readonly string[];
  /** Where one code is about several faults: what field or title have to say. */
  readonly says?: RegExp;
}

/** Whoever writes rules does not look at these kinds of faults: their names decide it, once and for all. */
export function isHeldOut(fault: string): boolean {
  return (createHash('sha256').update(`incident ${fault}`).digest()[0] ?? 0) % 3 === 0;
}

/** The incidents of a folder with `labels.jsonl` and `cases/`; undefined where there is none. */
export function readIncidents(folder: string): Incident[] | undefined {
  const labels = join(folder, 'labels.jsonl');
  if (!existsSync(labels)) return undefined;
  return readFileSync(labels, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => incidentOf(JSON.parse(line) as Label, folder));
}

interface Label {
  readonly case: string;
  readonly category: string;
  readonly namespace: string;
  readonly fault: string;
  readonly component: string;
  readonly expertSteps?: Readonly<Record<string, readonly string[]>>;
  readonly evidence?: boolean;
  readonly codes?: readonly string[];
  readonly says?: string;
}

function incidentOf(label: Label, folder: string): Incident {
  return {
    name: label.case,
    file: join(folder, 'cases', `${label.case}.tar.gz`),
    category: label.category,
    fault: label.fault,
    component: label.component,
    namespace: label.namespace,
    expertPaths: Object.values(label.expertSteps ?? {}),
    hasEvidence: label.evidence !== false,
    ...(label.codes === undefined ? {} : { reading: readingOf(label.codes, label.says) }),
  };
}

/** `says` is a pattern of ours, whose case does not count. */
export function readingOf(codes: readonly string[], says?: string): Reading {
  return { codes, ...(says === undefined ? {} : { says: new RegExp(says, 'i') }) };
}

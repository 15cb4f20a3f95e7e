import { Fault } from '../../../model/faults/index.js';
import { quoteGo } from '../../../model/go/index.js';

/** A version of Kubernetes as charts see it. */
export interface KubeVersion {
  /** As given, with a `v`: v1.34.4-gke.1. */
  readonly full: string;
  /** Without what follows the numbers; ranges are held against this. */
  readonly normal: string;
  readonly major: string;
  readonly minor: string;
}

export function parseKubeVersion(text: string): KubeVersion {
  const digits = /^\s*v?([0-9]+(?:\.[0-9]+)*)/.exec(text)?.[1];
  const parts = digits?.split('.') ?? [];
  if (digits === undefined) throw wrong(text, `could not parse ${quoteGo(text)} as version`);
  if (parts.length < 2) throw wrong(text, `illegal version string ${quoteGo(text)}`);
  const zero = parts.find((part) => part.length > 1 && part.startsWith('0'));
  if (zero !== undefined)
    throw wrong(text, `illegal zero-prefixed version component ${quoteGo(zero)} in ${quoteGo(text)}`);
  const [major = '', minor = ''] = parts;
  return { full: text.startsWith('v') ? text : `v${text}`, normal: `v${digits}`, major, minor };
}

function wrong(text: string, problem: string): Fault {
  return new Fault('VALUE_INVALID', `invalid kube version '${text}': ${problem}`);
}

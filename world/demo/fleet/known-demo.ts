import type { Cluster } from '../../../src/cluster/index.js';
import { isObject } from '../../../src/model/json/index.js';
import { CONFIG_MAPS } from '../../../src/model/resources/index.js';

export interface Demo {
  /** The repository that people commit to: a folder with its files. */
  readonly repository: string;
  /** Whether it was set up now, and not by an earlier start. */
  readonly isNew: boolean;
}

export const MARK = { namespace: 'argosy-world', name: 'demo' };

/** The demo that an earlier start has set up. */
export async function knownDemo(cluster: Cluster): Promise<Demo | undefined> {
  const mark = await cluster.get(CONFIG_MAPS, MARK);
  return mark === undefined
    ? undefined
    : { repository: isObject(mark.data) ? String(mark.data.repository) : '', isNew: false };
}

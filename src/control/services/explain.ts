import { Fault } from '../../model/faults/index.js';
import { objectsAt, textAt } from '../../model/json/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { ApplicationTree, ResourceNode } from './resource-tree.js';

const MAX_REASONS = 15;
/** Where an application is as bad as its worst object, the worst come first. */
const WORST_FIRST = ['Degraded', 'Unknown', 'Missing', 'Progressing', 'Suspended'];

/** Those that are not Healthy, the worst first. */
export function worstFirst<T>(all: readonly T[], healthOf: (each: T) => string): T[] {
  return all
    .filter((each) => WORST_FIRST.includes(healthOf(each)))
    .sort((a, b) => WORST_FIRST.indexOf(healthOf(a)) - WORST_FIRST.indexOf(healthOf(b)));
}

/** What the sync under way waits for, or why the last one failed. */
export function operationReasons(application: KubeObject): string[] {
  const state = ['status', 'operationState'] as const;
  const [phase, message] = [textAt(application, ...state, 'phase'), textAt(application, ...state, 'message')];
  const detail = message === '' ? '' : `: ${message}`;
  if (phase === 'Running')
    return [`a sync has been running since ${textAt(application, ...state, 'startedAt')}${detail}`];
  return phase === 'Failed' || phase === 'Error'
    ? [`the last sync ${phase === 'Failed' ? 'failed' : 'ended in an error'}${detail}`]
    : [];
}

/** Why an application is not Synced and Healthy, the most telling reason first. */
export async function reasonsOf(application: KubeObject, readTree: () => Promise<ApplicationTree>): Promise<string[]> {
  const reasons = statusReasons(application);
  try {
    const { nodes } = await readTree();
    return [...reasons, ...nodeReasons(nodes)].slice(0, MAX_REASONS);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [...reasons, `its objects cannot be read: ${error.message}`].slice(0, MAX_REASONS);
  }
}

/** What the Application itself says: one sentence is enough for a list. */
export function statusReasons(application: KubeObject): string[] {
  const conditions = objectsAt(application, 'status', 'conditions')
    .filter((condition) => textAt(condition, 'type').endsWith('Error'))
    .map((condition) => textAt(condition, 'message'));
  return [...conditions, ...operationReasons(application)];
}

/** One sentence for a list, from what the Application itself says. */
export function shortReason(application: KubeObject): string {
  const [sync, health] = [
    textAt(application, 'status', 'sync', 'status'),
    textAt(application, 'status', 'health', 'status'),
  ];
  if (sync === 'Synced' && health === 'Healthy') return '';
  const [first] = statusReasons(application);
  if (first !== undefined) return first;
  const [bad] = worstFirst(objectsAt(application, 'status', 'resources'), (raw) => textAt(raw, 'health', 'status'));
  if (bad !== undefined)
    return sentence(
      `${textAt(bad, 'kind')} ${textAt(bad, 'name')}`,
      textAt(bad, 'health', 'status'),
      textAt(bad, 'health', 'message'),
    );
  const message = textAt(application, 'status', 'health', 'message');
  if (health !== '' && health !== 'Healthy' && message !== '') return message;
  const differing = objectsAt(application, 'status', 'resources').filter(
    (raw) => textAt(raw, 'status') === 'OutOfSync',
  );
  const [one] = differing;
  if (one !== undefined)
    return (
      `${textAt(one, 'kind')} ${textAt(one, 'name')}` +
      `${differing.length > 1 ? ` and ${differing.length - 1} more differ` : ' differs'} from git`
    );
  return sync === '' && health === '' ? 'no controller has reconciled it yet' : '';
}

function nodeReasons(nodes: readonly ResourceNode[]): string[] {
  const bad = worstFirst(nodes, ({ health }) => health?.status ?? '');
  const missing = bad.filter(({ health }) => health?.status === 'Missing');
  const others = bad
    .filter(({ health }) => health?.status !== 'Missing')
    .map((node) =>
      sentence(
        `${node.kind} ${node.namespace === undefined ? '' : `${node.namespace}/`}${node.name}`,
        node.health?.status ?? '',
        node.health?.message ?? '',
      ),
    );
  const listed = missing
    .slice(0, 5)
    .map(({ kind, name }) => `${kind} ${name}`)
    .join(', ');
  return [
    ...others,
    ...(missing.length === 0
      ? []
      : [`not created yet: ${listed}${missing.length > 5 ? ` and ${missing.length - 5} more` : ''}`]),
  ];
}

function sentence(what: string, status: string, message: string): string {
  return `${what} is ${status}${message === '' ? '' : `: ${message.replaceAll(/\s+/g, ' ').trim()}`}`;
}

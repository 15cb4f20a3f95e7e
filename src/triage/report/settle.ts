import type { Finding } from '../findings/index.js';
import { kubectlName, shellWord } from '../rules/index.js';

/** A command that only reads, whose output proves a cause that is less than sure, or refutes it. */
export function settlingCommand({ node, phase, rule }: Finding): string {
  const { kind, namespace, name } = node.key;
  if (node.object === undefined)
    return namespace === '' ? '' : `kubectl get -n ${shellWord(namespace)} ${shellWord(kind.toLowerCase())}`;
  if (kind === 'Service' || (rule.startsWith('G') && kind === 'Pod'))
    return `kubectl get endpointslices -n ${shellWord(namespace)} -o wide`;
  if (kind === 'Pod' && (phase === 'run' || phase === 'init'))
    return `kubectl logs -n ${shellWord(namespace)} ${shellWord(name)} --all-containers --previous`;
  return `kubectl describe ${kubectlName(node)}`;
}

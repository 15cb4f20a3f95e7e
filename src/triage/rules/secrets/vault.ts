import type { Finding, Fix, FixStep } from '../../findings/index.js';
import { type Graph, type Node, nodeText, selectedPods } from '../../graph/index.js';
import { objectAt } from '../../../model/json/index.js';
import { textAt } from '../../json/index.js';
import { act, fact, kubectlName, leaf, shellWord } from '../make-finding.js';

/** The vault is sealed: the cause is its pod, not the store that uses it. */
export function sealed(
  node: Node,
  graph: Graph,
  service: Node | undefined,
  details: { readonly evidence: Finding['evidence'] },
): Finding {
  const pods = service === undefined ? [] : selectedPods(service, graph);
  const [pod] = pods;
  const blamed = pod === undefined ? service : graph.top(pod);
  return leaf(
    'B06',
    node,
    'reconcile',
    `the vault behind ${nodeText(node)} is sealed${pod === undefined ? '' : `: ${nodeText(pod)}`}`,
    {
      ...details,
      ...(blamed?.object === undefined ? { suspect: true } : { blamed }),
      field: 'status',
      signature: `sealed ${blamed?.id ?? node.id}`,
      fix: unseal(node, pod, graph),
    },
  );
}

const UNSEAL_KEY = /^unseal[-_]?key(?:[-_]?[0-9])?$/i;

/**
 * The command that unseals a vault. The key is passed on standard input, never on a command line: from the Secret in
 * which a bootstrap left it, or by a person.
 */
export function unsealCommand(pod: Node, graph: Graph): string {
  const [namespace, name] = [shellWord(pod.key.namespace), shellWord(pod.key.name)];
  const command = `kubectl exec -i ${name} -n ${namespace} -- vault operator unseal -`;
  for (const secret of graph.store.inNamespace('', 'Secret', pod.key.namespace)) {
    const key = Object.keys(objectAt(secret.object, 'data') ?? {}).find((each) => UNSEAL_KEY.test(each));
    if (key !== undefined)
      return (
        `kubectl get secret ${shellWord(secret.key.name)} -n ${namespace} -o jsonpath='{.data.${key}}' | base64 -d | ` +
        command
      );
  }
  return `${command}   # key on standard input`;
}

function unseal(node: Node, pod: Node | undefined, graph: Graph): Fix {
  const refresh = 'force-refresh="$(date +%s)" --overwrite';
  const place = pod === undefined ? '' : `${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)}`;
  const command = pod === undefined ? '' : unsealCommand(pod, graph);
  const secrets =
    node.key.namespace === ''
      ? []
      : [`kubectl annotate externalsecrets --all -n ${shellWord(node.key.namespace)} ${refresh}`];
  const step = {
    say: 'unseal the vault; pass the key on standard input',
    command,
    check: `kubectl exec ${place} -- vault status   # Sealed false`,
  };
  return act(
    'unseal the vault, then refresh the store and its ExternalSecrets; configure auto-unseal so ' +
      'that a restart does not seal it',
    [...(pod === undefined ? [] : [command]), `kubectl annotate ${kubectlName(node)} ${refresh}`, ...secrets],
    {
      verify: `kubectl get ${kubectlName(node)}`,
      steps: [...(pod === undefined ? [] : [step]), ...refreshSteps(node)],
    },
  );
}

/** Refreshes the store, then its ExternalSecrets. */
function refreshSteps(node: Node): FixStep[] {
  const refresh = 'force-refresh="$(date +%s)" --overwrite';
  const secrets = node.key.namespace === '' ? '-A' : `-n ${shellWord(node.key.namespace)}`;
  return [
    {
      say: 'refresh the store',
      command: `kubectl annotate ${kubectlName(node)} ${refresh}`,
      check: `kubectl get ${kubectlName(node)}   # Ready True`,
    },
    {
      say: 'refresh its ExternalSecrets',
      command: `kubectl annotate externalsecrets --all ${secrets} ${refresh}`,
      check: `kubectl get externalsecrets ${secrets}   # SecretSynced`,
    },
  ];
}

export function denied(node: Node, details: { readonly evidence: Finding['evidence'] }): Finding {
  const role = textAt(node.object, 'spec', 'provider', 'vault', 'auth', 'kubernetes', 'role');
  const steps = [...bindRole(node, role), ...refreshSteps(node)];
  return leaf(
    'B07',
    node,
    'reconcile',
    `the provider denies ${nodeText(node)} access${role === '' ? '' : ` with role ${role}`}`,
    {
      ...details,
      evidence: [...details.evidence, fact(node, 'spec.provider.vault.auth.kubernetes.role', role)],
      field: role === '' ? 'spec.provider' : 'spec.provider.vault.auth.kubernetes.role',
      signature: `denied ${node.id}`,
      fix: act(
        'bind the role to the service account and namespace of the store, and check the issuer setting of ' +
          'the auth method',
        steps.map(({ command }) => command),
        { where: 'outside', verify: `kubectl get ${kubectlName(node)}`, steps },
      ),
    },
  );
}

/** Binds the role at the provider. The token is taken from the shell, never from a command line. */
function bindRole(node: Node, role: string): FixStep[] {
  const auth = ['spec', 'provider', 'vault', 'auth', 'kubernetes'];
  const path = `auth/${shellWord(textAt(node.object, ...auth, 'mountPath') || 'kubernetes')}`;
  const account = textAt(node.object, ...auth, 'serviceAccountRef', 'name') || 'default';
  const namespace = textAt(node.object, ...auth, 'serviceAccountRef', 'namespace') || node.key.namespace;
  const name = `${path}/role/${shellWord(role === '' ? 'ROLE' : role)}`;
  return [
    {
      say:
        'make the auth method trust the cluster (disable_iss_validation is the default since Vault 1.9); the ' +
        'token is VAULT_TOKEN of your shell',
      command: `vault write ${path}/config kubernetes_host=https://kubernetes.default.svc disable_iss_validation=true`,
      check: `vault read ${path}/config`,
    },
    {
      say: 'bind the role to the service account and namespace of the store; its policies are kept',
      command:
        `vault write ${name} bound_service_account_names=${shellWord(account)} ` +
        `bound_service_account_namespaces=${shellWord(namespace === '' ? 'NAMESPACE' : namespace)}`,
      check: `vault read ${name}`,
    },
  ];
}

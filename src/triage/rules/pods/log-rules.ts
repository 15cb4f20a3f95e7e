import type { Edit, Finding } from '../../findings/index.js';
import { type Graph, type Node, nodeText } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { act, change, leaf, setting, shellWord, templateOf } from '../make-finding.js';
import { missingRightOf } from '../missing-rights.js';
import { hostFault, namedByChance, nameOfAddress } from './host-faults.js';
import type { ContainerFact } from './pod-facts.js';
import type { Crash } from './crash.js';
import { anyOf } from '../any-of.js';

/** Twice the limit: a visible, reversible guess; an earlier limit that was sufficient is better. */
export function doubled(holder: Node, path: string, limit: string): Edit[] {
  const [, amount, unit] = /^(\d+)([KMGT]i?)?$/.exec(limit) ?? [];
  return amount === undefined || templateOf(holder) === ''
    ? []
    : [setting(holder, `${templateOf(holder)}.${path}.resources.limits.memory`, `${Number(amount) * 2}${unit ?? ''}`)];
}

interface LogRule {
  readonly test: RegExp;
  make(match: RegExpExecArray, pod: Node, graph: Graph, container: ContainerFact, crash: Crash): Finding | undefined;
}

/** What programs of all kinds write, and what it means. */
export const LOG_RULES: readonly LogRule[] = [
  {
    test: anyOf(
      /AADSTS70021|AADSTS700213|No matching federated identity record|WebIdentityErr/,
      /AssumeRoleWithWebIdentity|InvalidIdentityToken/,
    ),
    make: (_match, pod, graph, container, { details, phase }) => {
      const account = textAt(pod.object, 'spec', 'serviceAccountName') || 'default';
      const subject = `system:serviceaccount:${pod.key.namespace}:${account}`;
      const holder = graph.store.refer({
        group: '',
        kind: 'ServiceAccount',
        namespace: pod.key.namespace,
        name: account,
      });
      return leaf('B13', pod, phase, `the cloud does not trust ${subject}, the identity of ${nodeText(pod)}`, {
        ...details,
        impact: 'infrastructure',
        blamed: holder,
        field: "metadata.annotations['azure.workload.identity/client-id']",
        signature: 'federated credential',
        commonTitle: 'the cloud does not trust the service accounts: federated credentials are missing',
        evidence: [...details.evidence, { of: nodeText(holder), path: 'subject', value: subject }],
        fix: act(`add a federated credential with the subject ${subject}`, [], {
          where: 'outside',
          snippet: federated(shellWord(pod.key.namespace), shellWord(account)),
          verify:
            `kubectl logs ${shellWord(pod.key.name)} -n ${shellWord(pod.key.namespace)} ` +
            `-c ${shellWord(container.name)}`,
        }),
      });
    },
  },
  {
    test: anyOf(
      /SecretNotFound/,
      /A secret with \(name\/id\) (\S+) was not found/,
      /[Ss]ecret (\S+) (?:was )?not found in (?:key ?vault|vault)/,
    ),
    make: (match, pod, graph, _container, { details, phase, line }) =>
      leaf(
        'B14',
        pod,
        phase,
        `secret ${match[1] ?? match[2] ?? /\(name\/id\) (\S+)/.exec(line)?.[1] ?? ''} that ` +
          `${nodeText(pod)} reads does not exist in the vault`,
        {
          ...details,
          impact: 'infrastructure',
          signature: 'names in the vault',
          commonTitle: 'requested secrets do not exist in the vault',
          field: 'spec.template.spec.containers[].env',
          fix: change(pod, graph, 'use a secret name that exists in the vault'),
        },
      ),
  },
  {
    test: /[Ff]orbidden.*(?:User|user) "?system:serviceaccount:([^:"]+):([^"\s]+)"? cannot (\w+) resource "?([a-z]+)"?/,
    make: ([, namespace = '', name = '', verb = '', resource = ''], pod, graph, _container, { details, phase }) =>
      leaf('E10', pod, phase, `service account ${name} of ${nodeText(pod)} cannot ${verb} ${resource}`, {
        ...details,
        ...missingRightOf(graph, { namespace, name, verb, resource }),
        fix: act(`allow ${verb} on ${resource} in the role of ${name}`, [], {
          verify:
            `kubectl auth can-i ${shellWord(verb)} ${shellWord(resource)} ` +
            `--as=system:serviceaccount:${shellWord(namespace)}:${shellWord(name)}`,
        }),
      }),
  },
  {
    test: new RegExp(
      '(?:lookup|getaddrinfo (?:ENOTFOUND|EAI_AGAIN)|could not (?:translate host name|resolve host:?)|' +
        '[Uu]nknown host:?|UnknownHostException:?|Name or service not known:?|' +
        'Temporary failure in name resolution:?) ?"?([a-z0-9][-a-z0-9.]*)"?',
    ),
    make: ([, host = ''], ...rest) => hostFault(host, undefined, ...rest),
  },
  {
    test: new RegExp(
      '(?:dial tcp|[Cc]onnect(?:ion|ing)?(?: to| refused to)?|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH)' +
        ':? "?(\\d{1,3}(?:\\.\\d{1,3}){3}):(\\d{2,5})',
    ),
    make: ([, address = '', port = ''], pod, graph, ...rest) =>
      hostFault(nameOfAddress(address, graph), Number(port), pod, graph, ...rest),
  },
  {
    test: /(?:can't find|bad address|can't resolve) '?([a-z0-9][-a-z0-9.]*[a-z0-9])'?/,
    make: ([, host = ''], ...rest) => hostFault(host, undefined, ...rest),
  },
  {
    test: /dial tcp: lookup ([a-z0-9][-a-z0-9.]*)/,
    make: ([, host = ''], ...rest) => hostFault(host, undefined, ...rest),
  },
  {
    test: new RegExp(
      '(?:connect(?:ion)? (?:to )?|ECONNREFUSED |dial tcp )"?([a-z][-a-z0-9.]*[a-z0-9])"?:(\\d{2,5})"?' +
        '.*(?:refused|timed? ?out|failed)?',
    ),
    make: ([, host = '', port = ''], ...rest) => hostFault(host, Number(port), ...rest),
  },
  {
    test: new RegExp(
      '^(?=.*(?:refused|timed? ?out|timeout|unreachable|no route|no response|reset by peer))' +
        '.*?(?<![-\\w.])([a-z](?:[-.]?[a-z0-9])*):(\\d{2,5})\\b',
    ),
    make: namedByChance,
  },
];

/** Terraform that lets a service account act as a cloud identity; identity and issuer are placeholders. */
function federated(namespace: string, account: string): string {
  return [
    `resource "azurerm_federated_identity_credential" "${namespace}-${account}" {`,
    `  name      = "${namespace}-${account}"`,
    '  parent_id = azurerm_user_assigned_identity.this.id',
    '  issuer    = azurerm_kubernetes_cluster.this.oidc_issuer_url',
    '  audience  = ["api://AzureADTokenExchange"]',
    `  subject   = "system:serviceaccount:${namespace}:${account}"`,
    '}',
    '',
  ].join('\n');
}

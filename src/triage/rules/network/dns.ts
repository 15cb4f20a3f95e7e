import type { Finding, RuleTable } from '../../findings/index.js';
import type { Graph, Node } from '../../graph/index.js';
import { textAt } from '../../json/index.js';
import { change, fact, leaf } from '../make-finding.js';

/** Registered by kind. */
export const DNS_RULES: RuleTable = {
  '/ConfigMap': [corefileRules],
};

/** Lines of a Corefile, each prefixed with the plugin of its block. */
function pluginLines(file: string): string[] {
  let plugin = '';
  return file
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      if (line === '}') plugin = '';
      else if (line.endsWith('{')) plugin = line.startsWith('.') ? '' : line.slice(0, -1);
      else return `${plugin}${line}`;
      return '';
    });
}

/** The cluster DNS gives wrong answers for Service names. */
function corefileRules(node: Node, graph: Graph): readonly Finding[] {
  if (node.key.name !== 'coredns' || node.key.namespace !== 'kube-system') return [];
  const file = textAt(node.object, 'data', 'Corefile');
  const wrong = pluginLines(file).find(
    (line) =>
      (line.startsWith('template ') && /rcode (?:NXDOMAIN|SERVFAIL|REFUSED)/.test(line)) ||
      (line.startsWith('hosts ') && line.includes('.svc.')),
  );
  const isWithout = file !== '' && !file.split('\n').some((line) => line.trim().startsWith('kubernetes'));
  if (wrong === undefined && !isWithout) return [];
  return [
    leaf(
      'G09',
      node,
      'serve',
      wrong === undefined
        ? 'the Corefile of CoreDNS has no kubernetes plugin: Service names do not resolve'
        : `the Corefile of CoreDNS overrides Service names: ${wrong}`,
      {
        impact: 'infrastructure',
        field: 'data.Corefile',
        evidence: [fact(node, 'data.Corefile', wrong ?? file)],
        fix: change(node, graph, 'correct the Corefile; with the reload plugin CoreDNS picks it up without a restart', {
          risk: 'none',
        }),
      },
    ),
  ];
}

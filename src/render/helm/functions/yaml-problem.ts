import type { Fault } from '../../../model/index.js';

/** Problems to which Go adds no line. */
const PLACELESS = /^(?:control characters|document contains excessive|json: |unsupported map key|invalid map key)/;

/** A fault of our reader in the words of go-yaml. */
export function yamlProblem(fault: Fault): string {
  const { message, where } = fault;
  if (message.startsWith('json: ')) return message;
  if (PLACELESS.test(message)) return `yaml: ${message}`;
  const [, line = ''] = /(\d+):\d+$/.exec(where) ?? [];
  return `yaml: line ${line}: ${message}`;
}

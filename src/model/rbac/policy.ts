import { readCsvLine, trimBlanks } from './csv-line.js';

/** `p, subject, resource, action, object, effect`. All but the effect are patterns; the subject is a name. */
export interface PolicyRule {
  readonly subject: string;
  readonly resource: string;
  readonly action: string;
  readonly object: string;
  /** `allow` or `deny`; a rule with anything else decides nothing. */
  readonly effect: string;
  /** The line as it was written, and the text it stands in, for those who ask why. */
  readonly line: string;
  readonly from: string;
}

/** `g, member, role`. */
export interface Grouping {
  readonly member: string;
  readonly role: string;
}

export interface Policy {
  readonly rules: readonly PolicyRule[];
  readonly groupings: readonly Grouping[];
}

/** A text of a policy, and what to call it. */
export interface PolicyText {
  readonly text: string;
  readonly from: string;
}

/** A line that cannot be read. Argo CD then answers nobody; so do we, with the line. */
export interface BrokenPolicy {
  readonly broken: string;
  readonly where: string;
}

export function isBroken(policy: Policy | BrokenPolicy): policy is BrokenPolicy {
  return 'broken' in policy;
}

/** Sections of the model beside `p` and `g`: Argo CD takes such lines, and they say nothing. */
const IDLE = new Set(['r', 'e', 'm']);

/** Reads texts one after another; all lines count alike, whatever text they stand in. */
export function readPolicy(texts: readonly PolicyText[]): Policy | BrokenPolicy {
  const rules: PolicyRule[] = [];
  const groupings: Grouping[] = [];
  for (const { text, from } of texts) {
    for (const [index, raw] of text.split('\n').entries()) {
      const line = trimBlanks(raw);
      if (line === '' || line.startsWith('#')) continue;
      const fields = readCsvLine(line) ?? [];
      const [kind, first = '', second = '', action = '', object = '', effect = ''] = fields;
      if (kind === 'p' && fields.length === 6)
        rules.push({ subject: first, resource: second, action, object, effect, line, from });
      else if (kind === 'g' && fields.length === 3) groupings.push({ member: first, role: second });
      else if (!IDLE.has(kind ?? '')) return { broken: line, where: `${from} line ${index + 1}` };
    }
  }
  return { rules, groupings };
}

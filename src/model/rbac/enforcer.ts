import { RE2JS } from 're2js';
import { matchesGlob } from '../formats/index.js';
import type { Policy, PolicyRule } from './policy.js';

export type MatchMode = 'glob' | 'regex';

/** What somebody wants: `applications`, `sync`, `project/name`. */
export interface AccessRequest {
  readonly resource: string;
  readonly action: string;
  readonly object: string;
}

/** Whether, and the rule that said so; none where nothing allows it. */
export interface AccessDecision {
  readonly allowed: boolean;
  readonly rule?: PolicyRule;
}

type Matcher = (text: string) => boolean;

interface ObjectRule {
  readonly rule: PolicyRule;
  readonly matches: Matcher;
}

/**
 * The rules that concern a subject, resource and action; a pattern that cannot be read refuses everything that reaches
 * it.
 */
interface NarrowedRules {
  readonly denying: readonly ObjectRule[];
  readonly allowing: readonly ObjectRule[];
  readonly isBroken: boolean;
}

const BROKEN = Symbol('a pattern that cannot be read');
const DENIED: AccessDecision = { allowed: false };

/** How far roles of roles are followed. */
const MAX_ROLE_DEPTH = 10;
/** Answers kept of who may reach what; the next question after that begins anew. */
const MAX_CACHED = 10_000;

/**
 * One policy as Casbin evaluates it: a rule concerns a subject by its name or by a role that it has, all patterns must
 * fit, one allowing rule is needed and no denying one. Narrowed by subject, resource and action once, so that asking
 * for each of thousands of objects is cheap.
 */
export class Enforcer {
  readonly #policy: Policy;
  readonly #compile: (pattern: string) => Matcher | typeof BROKEN;
  readonly #roles = new Map<string, string[]>();
  readonly #members: ReadonlySet<string>;
  readonly #narrowed = new Map<string, NarrowedRules>();

  constructor(policy: Policy, mode: MatchMode) {
    this.#policy = policy;
    this.#compile = mode === 'regex' ? compileRegex : (pattern) => (text) => matchesGlob(pattern, text);
    for (const { member, role } of policy.groupings) {
      const roles = this.#roles.get(member);
      if (roles === undefined) this.#roles.set(member, [role]);
      else roles.push(role);
    }
    this.#members = new Set(this.#roles.keys());
  }

  /** Whether a grouping names it: groups of a user that none names are never asked about. */
  isMember(name: string): boolean {
    return this.#members.has(name);
  }

  enforce(subject: string, { resource, action, object }: AccessRequest): AccessDecision {
    const { denying, allowing, isBroken } = this.#narrow(subject, resource, action);
    if (isBroken) return DENIED;
    const deny = denying.find(({ matches }) => matches(object));
    if (deny !== undefined) return { allowed: false, rule: deny.rule };
    const allow = allowing.find(({ matches }) => matches(object));
    return allow === undefined ? DENIED : { allowed: true, rule: allow.rule };
  }

  #narrow(subject: string, resource: string, action: string): NarrowedRules {
    const key = `${subject}\0${resource}\0${action}`;
    const known = this.#narrowed.get(key);
    if (known !== undefined) return known;
    const narrowed = this.#select(this.#rolesOf(subject), resource, action);
    if (this.#narrowed.size >= MAX_CACHED) this.#narrowed.clear();
    this.#narrowed.set(key, narrowed);
    return narrowed;
  }

  #select(subjects: ReadonlySet<string>, resource: string, action: string): NarrowedRules {
    const denying: ObjectRule[] = [];
    const allowing: ObjectRule[] = [];
    let isBroken = false;
    const fits = (pattern: string, text: string): boolean => {
      const matcher = this.#compile(pattern);
      if (matcher !== BROKEN) return matcher(text);
      isBroken = true;
      return false;
    };
    for (const rule of this.#policy.rules) {
      if (!subjects.has(rule.subject) || !fits(rule.resource, resource) || !fits(rule.action, action)) continue;
      const matches = this.#compile(rule.object);
      if (matches === BROKEN) isBroken = true;
      else if (rule.effect === 'deny') denying.push({ rule, matches });
      else if (rule.effect === 'allow') allowing.push({ rule, matches });
    }
    return { denying, allowing, isBroken };
  }

  /** The subject, its roles, their roles. */
  #rolesOf(subject: string): Set<string> {
    const found = new Set([subject]);
    let last = [subject];
    for (let depth = 0; depth < MAX_ROLE_DEPTH && last.length > 0; depth++) {
      last = [...new Set(last.flatMap((name) => this.#roles.get(name) ?? []))].filter((role) => !found.has(role));
      for (const role of last) found.add(role);
    }
    return found;
  }
}

function compileRegex(pattern: string): Matcher | typeof BROKEN {
  try {
    const regex = RE2JS.compile(pattern);
    return (text) => regex.test(text);
  } catch {
    // Go panics on it, and Casbin answers the question with an error.
    return BROKEN;
  }
}

import {
  BUILT_IN,
  Enforcer,
  isBroken,
  PROJECT_SCOPED,
  readPolicy,
  type BrokenPolicy,
  type RbacConfig,
  type AccessDecision,
  type AccessRequest,
} from '../../../model/rbac/index.js';
import { groupsOf, OUR_ISSUER, textClaim, userOf, type Claims } from '../tokens/claims.js';
import { projectSubject, type ProjectRoles } from './project-roles.js';

/** The same as a sentence could say it. */
export interface Decision extends AccessDecision {
  /** Whom the rule speaks of: the user, a group, the default role. */
  readonly as?: string;
  /** Why nothing can be decided at all. */
  readonly broken?: BrokenPolicy;
}

/**
 * Who may do what, by argocd-rbac-cm and the roles of projects, in the order in which Argo CD asks. Made anew for a new
 * ConfigMap; projects are read live.
 */
export class PolicyEnforcer {
  readonly #config: RbacConfig;
  readonly #projectNamed: (name: string) => ProjectRoles | undefined;
  readonly #isAccount: (name: string) => boolean;
  readonly #base: Enforcer | BrokenPolicy;
  /** By project, with the policy text it was compiled from. */
  readonly #ofProjects = new Map<string, { readonly policy: string; readonly enforcer: Enforcer }>();

  /** `isAccount` says whether a name is that of an account of our own. */
  constructor(
    config: RbacConfig,
    projectNamed: (name: string) => ProjectRoles | undefined,
    isAccount: (name: string) => boolean,
  ) {
    this.#config = config;
    this.#projectNamed = projectNamed;
    this.#isAccount = isAccount;
    const policy = config.problem ?? readPolicy([BUILT_IN, ...config.texts]);
    this.#base = isBroken(policy) ? policy : new Enforcer(policy, config.mode);
  }

  get scopes(): readonly string[] {
    return this.#config.scopes;
  }

  /** Undefined claims are somebody who did not sign in where that is allowed. */
  decide(claims: Claims | undefined, request: AccessRequest): Decision {
    if (!(this.#base instanceof Enforcer)) return { allowed: false, broken: this.#base };
    const byDefault = this.#asDefault(this.#base, request);
    if (byDefault.allowed) return byDefault;
    const bySelf = claims === undefined ? undefined : this.#asThemselves(this.#base, claims, request);
    if (bySelf?.allowed === true) return bySelf;
    const asNobody = this.#base.enforce('', request);
    return asNobody.allowed ? asNobody : (bySelf ?? byDefault);
  }

  /**
   * The user, then each group that the policy names. Each is evaluated alone: a deny for one does not affect another.
   */
  #asThemselves(base: Enforcer, claims: Claims, request: AccessRequest): Decision {
    const user = this.#isReserved(userOf(claims), claims) ? '' : userOf(claims);
    const project = this.#projectOf(request);
    const owner = projectSubject(user);
    if (project !== undefined && owner !== undefined && owner.project !== project.name) return { allowed: false };
    const enforcer = project === undefined ? base : this.#enforcerOf(project, base);
    const first = this.#as(enforcer, user, request);
    if (first.allowed || (project !== undefined && owner !== undefined)) return first;
    let denial = first;
    for (const group of groupsOf(claims, this.#config.scopes)) {
      if (!enforcer.isMember(group) || this.#isReserved(group, claims)) continue;
      const decision = this.#as(enforcer, group, request);
      if (decision.allowed) return decision;
      if (denial.rule === undefined) denial = decision;
    }
    return denial;
  }

  /** What a provider calls somebody, or a group, never means an account or a role of our own. */
  #isReserved(name: string, claims: Claims): boolean {
    const issuer = textClaim(claims, 'iss');
    return issuer !== '' && issuer !== OUR_ISSUER && (this.#isAccount(name) || /^(?:role|proj):/.test(name));
  }

  #as(enforcer: Enforcer, name: string, request: AccessRequest): Decision {
    const byDefault = this.#asDefault(enforcer, request);
    return byDefault.allowed ? byDefault : { ...enforcer.enforce(name, request), as: name };
  }

  #asDefault(enforcer: Enforcer, request: AccessRequest): Decision {
    const { defaultRole } = this.#config;
    return defaultRole === '' ? { allowed: false } : { ...enforcer.enforce(defaultRole, request), as: defaultRole };
  }

  #projectOf({ resource, object }: AccessRequest): ProjectRoles | undefined {
    if (resource === 'projects') return this.#projectNamed(object);
    const slash = PROJECT_SCOPED.has(resource) ? object.indexOf('/') : -1;
    return slash < 0 ? undefined : this.#projectNamed(object.slice(0, slash));
  }

  /** The policy with the project's own lines; without them where they cannot be read. */
  #enforcerOf(project: ProjectRoles, base: Enforcer): Enforcer {
    const text = project.policy;
    if (text === '') return base;
    const known = this.#ofProjects.get(project.name);
    if (known?.policy === text) return known.enforcer;
    const policy = readPolicy([BUILT_IN, ...this.#config.texts, { text, from: `project ${project.name}` }]);
    const enforcer = isBroken(policy) ? base : new Enforcer(policy, this.#config.mode);
    this.#ofProjects.set(project.name, { policy: text, enforcer });
    return enforcer;
  }
}

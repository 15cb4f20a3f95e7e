/** What Argo CD's API sends, as far as the page reads it. Everything that a server may leave out is optional. */
export interface UserInfo {
  readonly loggedIn?: boolean;
  readonly username?: string;
  readonly iss?: string;
  readonly groups?: readonly string[];
}

export interface ServerSettings {
  readonly url?: string;
  readonly appLabelKey?: string;
  readonly trackingMethod?: string;
  readonly controllerNamespace?: string;
  readonly oidcConfig?: {
    readonly name?: string;
    readonly issuer?: string;
    readonly clientID?: string;
    readonly scopes?: readonly string[];
  };
  readonly dexConfig?: { readonly connectors?: readonly { readonly name?: string; readonly type?: string }[] };
  readonly userLoginsDisabled?: boolean;
  readonly statusBadgeEnabled?: boolean;
  readonly execEnabled?: boolean;
  readonly appsInAnyNamespaceEnabled?: boolean;
}

export interface WireHealth {
  readonly status?: string;
  readonly message?: string;
}

export interface WireSource {
  readonly repoURL: string;
  readonly path?: string;
  readonly chart?: string;
  readonly targetRevision?: string;
  readonly ref?: string;
  readonly helm?: {
    readonly valueFiles?: readonly string[];
    readonly parameters?: readonly { readonly name: string; readonly value?: string }[];
    readonly values?: string;
  };
}

export interface WireResource {
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly status?: string;
  readonly health?: WireHealth;
  readonly hook?: boolean;
  readonly requiresPruning?: boolean;
  readonly syncWave?: number;
}

export interface WireResult {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly status?: string;
  readonly message?: string;
  readonly hookPhase?: string;
  readonly hookType?: string;
  readonly syncPhase?: string;
}

export interface WireOperationState {
  readonly phase: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly operation?: {
    readonly initiatedBy?: { readonly username?: string; readonly automated?: boolean };
    readonly sync?: { readonly revision?: string; readonly dryRun?: boolean };
  };
  readonly syncResult?: {
    readonly revision?: string;
    readonly revisions?: readonly string[];
    readonly resources?: readonly WireResult[];
  };
}

export interface WireDeployment {
  readonly id: number;
  readonly revision?: string;
  readonly revisions?: readonly string[];
  readonly deployedAt: string;
  readonly deployStartedAt?: string;
  readonly source?: WireSource;
  readonly sources?: readonly WireSource[];
  readonly initiatedBy?: { readonly username?: string; readonly automated?: boolean };
}

export interface WireApplication {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly project: string;
    readonly source?: WireSource;
    readonly sources?: readonly WireSource[];
    readonly destination: { readonly server?: string; readonly name?: string; readonly namespace?: string };
    readonly syncPolicy?: {
      readonly automated?: { readonly prune?: boolean; readonly selfHeal?: boolean; readonly enabled?: boolean };
      readonly syncOptions?: readonly string[];
    };
  };
  readonly status?: {
    readonly sync?: { readonly status?: string; readonly revision?: string; readonly revisions?: readonly string[] };
    readonly health?: WireHealth;
    readonly operationState?: WireOperationState;
    readonly conditions?: readonly {
      readonly type: string;
      readonly message: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly resources?: readonly WireResource[];
    readonly history?: readonly WireDeployment[];
    readonly summary?: { readonly images?: readonly string[]; readonly externalURLs?: readonly string[] };
    readonly reconciledAt?: string;
    readonly sourceType?: string;
  };
  readonly operation?: unknown;
}

export interface WireNodeRef {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

export interface WireNode extends WireNodeRef {
  readonly version?: string;
  readonly parentRefs?: readonly WireNodeRef[];
  readonly info?: readonly { readonly name: string; readonly value: string }[];
  readonly images?: readonly string[];
  readonly health?: WireHealth;
  readonly createdAt?: string;
}

export interface WireTree {
  readonly nodes?: readonly WireNode[] | null;
  readonly orphanedNodes?: readonly WireNode[] | null;
}

export interface WireManaged {
  readonly group?: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly targetState?: string;
  readonly liveState?: string;
  readonly normalizedLiveState?: string;
  readonly predictedLiveState?: string;
  readonly hook?: boolean;
  readonly modified?: boolean;
}

export interface WireEvents {
  readonly items?:
    | readonly {
        readonly metadata?: { readonly uid?: string; readonly name?: string };
        readonly type?: string;
        readonly reason?: string;
        readonly message?: string;
        readonly count?: number;
        readonly firstTimestamp?: string | null;
        readonly lastTimestamp?: string | null;
        readonly eventTime?: string | null;
        readonly involvedObject?: { readonly kind?: string; readonly name?: string; readonly namespace?: string };
      }[]
    | null;
}

/** A certificate or key: its text, or the file that has it. Files are read again for new connections. */
export type PemSource =
  | { readonly kind: 'text'; readonly pem: string }
  | { readonly kind: 'file'; readonly path: string };

/** A program that gives credentials (client.authentication.k8s.io). It is started without a shell. */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of this process. */
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
  /** The cluster's extension of that name, handed on with the cluster info. */
  readonly extension: unknown;
}

export interface UserConfig {
  readonly certificate?: PemSource;
  readonly key?: PemSource;
  readonly token?: string;
  /** Wins over `token`; read again from time to time, since its content expires. */
  readonly tokenFile?: string;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecPlugin;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: readonly (readonly [name: string, values: readonly string[]])[];
}

/** Everything needed to talk to one API server as one user. */
export interface ClusterConfig {
  /** Name of the context, or `in-cluster`. */
  readonly context: string;
  readonly server: string;
  /** Where commands act when none is named. */
  readonly namespace: string;
  readonly authority?: PemSource;
  readonly skipTlsVerify: boolean;
  readonly tlsServerName?: string;
  readonly proxyUrl?: string;
  readonly user: UserConfig;
  readonly impersonate?: Impersonation;
}

export type Environment = Readonly<Record<string, string | undefined>>;

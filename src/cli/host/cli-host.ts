import type { Audit } from '../../audit/index.js';
import type { Cluster } from '../../cluster/index.js';
import type { TrustedProxies } from '../../model/formats/index.js';
import type { ControlServices, Inspection, LocalFiles, InspectOptions, Shard } from '../../control/index.js';
import type { DirectorySettings } from '../../model/argo/index.js';
import type { Fault } from '../../model/faults/index.js';
import type { KubeObject } from '../../model/kubernetes/index.js';
import type { Tree } from '../../model/formats/index.js';
import type { LogFormat, Logger, LogLevel } from '../../model/logging/index.js';

/** What commands may use of the outside. */
export interface CliHost {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Of Argosy, such as 1.2.3. */
  readonly version: string;
  /** How the user calls this program, such as `npx argosy`; `argosy` by default. */
  readonly commandName?: () => string;
  /** The folder of the health catalogue. */
  readonly catalogue: string;
  /** The folder of the program that runs notebooks. */
  readonly runner: string;
  /** The definitions of the kinds that Argosy brings. */
  readonly crds: string;
  /** The folder of the world that a demo runs in. */
  readonly world: string;
  /** Milliseconds since 1970. */
  now(): number;
  startApiServer(options: ServerOptions): Promise<RunningServer>;
  /** The same as a process of its own, so that delivery does not wait for it. */
  spawnApiServer(options: ServerOptions): Promise<ServerProcess>;
  startController(options: ControllerOptions): Promise<RunningController>;
  /** What people ask for, without delivery: for `serve`. */
  openService(options: ServiceOptions): Promise<OpenService>;
  startApi(options: ApiOptions): Promise<RunningApi>;
  /** The programs that `--tool NAME=PATH` names. */
  openTools(named: readonly string[]): Promise<CliTools>;
  /** Sets up the fleet of the demo, at the first start with a data directory. */
  startDemo(options: DemoOptions): Promise<RunningDemo>;
  /** Problems that can be played on the embedded cluster. */
  openStories(): Promise<CliStories>;
  /**
   * What a pass of the controller would see of an application now, unless told otherwise at its own revision. The
   * namespace is the control plane's.
   */
  inspect(
    cluster: Cluster,
    application: KubeObject,
    options: InspectOptions & { readonly namespace: string },
  ): Promise<Inspection>;
  /** The same for many; a fault stands where one cannot be looked at. */
  inspectMany(
    cluster: Cluster,
    applications: readonly KubeObject[],
    options: { readonly namespace: string },
  ): Promise<readonly (Inspection | Fault)[]>;
  /** What files of this machine give for an application, as texts that a sync takes. */
  renderLocal(
    cluster: Cluster,
    application: KubeObject,
    files: LocalFiles,
    options: { readonly namespace: string },
  ): Promise<string[]>;
  /** The Applications that an ApplicationSet would make now. The namespace is the control plane's. */
  generate(cluster: Cluster, set: KubeObject, options: { readonly namespace: string }): Promise<readonly KubeObject[]>;
  /** Asks a person for yes or no; no where nobody can answer. */
  confirm(question: string): Promise<boolean>;
  /** Resolves when the process is asked to stop. */
  untilStopped(): Promise<void>;
}

/** What programs make of a tree. */
export interface CliTools {
  jsonnet(tree: Tree, path: string, settings: DirectorySettings['jsonnet']): Promise<Uint8Array>;
  /** What a config management plugin prints for a folder. */
  plugin(
    name: string,
    request: {
      readonly tree: Tree;
      readonly path: string;
      readonly environment: ReadonlyMap<string, string>;
      readonly kubeVersion: string;
      readonly apiVersions: readonly string[];
    },
  ): Promise<string>;
}

/** Stories of the world, as people choose them. */
export interface CliStories {
  readonly stories: readonly {
    readonly name: string;
    readonly title: string;
    readonly seed: string;
    readonly because: string;
    readonly repair: string;
  }[];
  play(name: string, act: 'break' | 'heal', cluster: Cluster, tell: (line: string) => void): Promise<void>;
}

export interface DemoOptions {
  readonly cluster: Cluster;
  readonly data: string;
  /** How many applications there are, and how many are delivered. */
  readonly progress: (delivered: number, all: number) => void;
}

export interface RunningDemo {
  /** The repository that its applications come from: a folder with its files. */
  readonly repository: string;
  readonly isNew: boolean;
}

export interface OutputStream {
  write(text: string): unknown;
  /** Whether a person reads it as it comes, and how wide their window is. */
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** How a process writes its log. */
export interface LogSettings {
  readonly level: LogLevel;
  readonly format: LogFormat;
}

/** How a server is started; the apiserver room accepts the same shape. */
export interface ServerOptions {
  readonly data: string;
  readonly port: number;
  readonly controllers: boolean;
  readonly log: Logger;
  /** The same log, for a server that is a process of its own. */
  readonly logSettings: LogSettings;
  /** A directory of stages: third-party controllers as data. */
  readonly stages?: string;
  /** A world folder: kinds and stages of third-party controllers. */
  readonly world?: string;
  /**
   * Containers of these images (`IMAGE` or `IMAGE=PROGRAM`), and in the demo of its own, run as confined processes of
   * this machine, which reach these addresses (`HOST:PORT`).
   */
  readonly processes?: { readonly images: readonly string[]; readonly reachable: readonly string[] };
  /** Whose words nodes speak that do not say which version of containerd they have. */
  readonly containerd?: '1.7' | '2.1';
}

export interface RunningServer {
  readonly url: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export interface ServerProcess extends RunningServer {
  /** Resolves when somebody asks this process to stop; fails when it ends unasked. */
  untilEnded(): Promise<void>;
  /** Called each time it was started again, at the same address. */
  onRestart(listener: () => void): void;
}

/** How delivery is started. */
export interface ControllerOptions {
  readonly cluster: Cluster;
  readonly data: string;
  readonly namespace: string;
  readonly profile: 'kubernetes' | 'openshift';
  readonly metricsPort: number;
  readonly metricsHost: string;
  /** The part of the applications that it looks after; all of them unless told. */
  readonly shard?: Shard;
  readonly takesOver: boolean;
  readonly isReadOnly: boolean;
  /** Folders of this machine whose repositories may be read; the data directory never is. */
  readonly fileRepositories: readonly string[];
  readonly remoteHosts: readonly string[];
  /** `NAME=/path` of programs. */
  readonly tools: readonly string[];
  readonly log: Logger;
  readonly audit: Audit;
}

export interface RunningController {
  readonly metricsUrl: string;
  /** What it knows, for people who ask. */
  readonly services: ControlServices;
  close(): Promise<void>;
}

/** What is needed to look and to ask. */
export type ServiceOptions = Pick<
  ControllerOptions,
  'cluster' | 'data' | 'namespace' | 'profile' | 'fileRepositories' | 'remoteHosts' | 'tools' | 'log' | 'audit'
>;

export interface OpenService {
  readonly services: ControlServices;
  close(): Promise<void>;
}

/** How the API and the page are served. */
export interface ApiOptions {
  readonly services: ControlServices;
  readonly host: string;
  readonly port: number;
  /** Names of this server besides loopback and the `url` of argocd-cm. */
  readonly hosts: readonly string[];
  readonly security: ApiSecurity;
  readonly log: Logger;
}

/** What a security profile demands of the API; the api room accepts the same shape. */
export interface ApiSecurity {
  /** Undefined for plain HTTP. */
  readonly tls?: { readonly minVersion: 'TLSv1.2' | 'TLSv1.3'; readonly maxVersion: 'TLSv1.2' | 'TLSv1.3' };
  /** Whether webhooks are refused while no secret is set for them. */
  readonly requiresWebhookSecret: boolean;
  /** Whether there is a local admin where `admin.enabled` says nothing. */
  readonly isAdminEnabledByDefault: boolean;
  /** Reverse proxies that say who the client is. */
  readonly trustedProxies?: TrustedProxies;
}

export interface RunningApi {
  readonly url: string;
  /** The password of admin, where it was made by this start. */
  readonly newPassword: string | undefined;
  /** Whether there is any way to sign in: a local account, or a provider. */
  readonly hasSignIn: boolean;
  close(): Promise<void>;
}

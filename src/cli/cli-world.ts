import type { DirectorySettings, Tree } from '../model/index.js';

/** What commands may use of the outside. */
export interface CliWorld {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Of Argosy, such as 1.2.3. */
  readonly version: string;
  /** The folder of the health catalogue. */
  readonly catalogue: string;
  /** Milliseconds since 1970. */
  now(): number;
  startApiServer(options: ServerOptions): Promise<RunningServer>;
  /** The program jsonnet among those that `--tool NAME=PATH` names. */
  openJsonnet(named: readonly string[]): Promise<Jsonnet>;
  /** Resolves when the process is asked to stop. */
  untilStopped(): Promise<void>;
}

/** What jsonnet makes of a file of a tree. */
export type Jsonnet = (tree: Tree, path: string, settings: DirectorySettings['jsonnet']) => Promise<Uint8Array>;

export interface Output {
  write(text: string): unknown;
}

/** How a server is started; the apiserver room accepts the same shape. */
export interface ServerOptions {
  readonly data: string;
  readonly port: number;
  readonly controllers: boolean;
  readonly log: (line: string) => void;
  /** A directory of stages: third-party controllers as data. */
  readonly stages?: string;
}

export interface RunningServer {
  readonly url: string;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

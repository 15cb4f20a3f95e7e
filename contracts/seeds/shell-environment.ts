/** What a document's commands talk to. */
export interface ShellEnvironment {
  readonly kubeconfig: string;
  /** The folder in which commands run; files of it are what the document's commands name. A new one if left out. */
  readonly folder?: string;
  /** Programs of this world by name, each a script for sh, before all others. */
  readonly programs?: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** One thing that a process finds in its root. */
export interface SandboxMount {
  readonly kind: 'read' | 'write' | 'copy' | 'folder' | 'link' | 'empty' | 'proc' | 'devices';
  /** On this machine; of a link, what it points at. */
  readonly source: string;
  readonly target: string;
  /** What was opened at the source: this, and nothing that came into its place, is shown. */
  readonly descriptor?: number;
}

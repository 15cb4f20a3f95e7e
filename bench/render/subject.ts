/** Something that one application would render: a folder of a repository. */
export interface Subject {
  readonly kind: 'chart' | 'overlay';
  readonly name: string;
  /** The root of the repository on disk, and the folder in it. */
  readonly root: string;
  readonly path: string;
  /** How the real tool is started for it. */
  readonly program: string;
  readonly args: readonly string[];
}

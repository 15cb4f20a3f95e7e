/** A file of a tree; `bytes` is undefined as long as nobody has loaded its content. */
export interface TreeFile {
  readonly kind: 'file';
  /** The id of its content (git blob), equal for equal content. */
  readonly id: string;
  readonly executable: boolean;
  readonly size?: number;
  readonly bytes?: Uint8Array;
}

export interface TreeLink {
  readonly kind: 'link';
  readonly id: string;
  readonly target: string;
}

export interface TreeFolder {
  readonly kind: 'folder';
  /** The id of the listing and everything below it (git tree). */
  readonly id: string;
  /** In the order of the names' bytes. */
  readonly entries: ReadonlyMap<string, TreeNode>;
}

/** Another repository inside this one, at a commit; its content stands below `folder` where it was fetched. */
export interface TreeSubmodule {
  readonly kind: 'submodule';
  readonly id: string;
  readonly folder?: TreeFolder;
}

export type TreeNode = TreeFile | TreeLink | TreeFolder | TreeSubmodule;

/** What a repository holds at one commit, in memory and read-only. */
export interface Tree {
  /** The address of the repository without credentials. */
  readonly repository: string;
  readonly commit: string;
  readonly root: TreeFolder;
}

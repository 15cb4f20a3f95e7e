/** What the server says of everything that is not well. */
export interface Report {
  readonly time: string;
  readonly status: string;
  readonly summary: { readonly applications: number; readonly health: Readonly<Record<string, number>>; readonly sync: Readonly<Record<string, number>>; readonly objects: number; readonly events: number; readonly counted: string; readonly broken: number };
  readonly causes: readonly Cause[];
  readonly problems: readonly string[];
  readonly validation?: readonly string[];
}

export interface Cause {
  readonly id: string;
  readonly name: string;
  readonly severity: string;
  readonly rule: string;
  readonly kind: string;
  readonly confidence: string;
  readonly impact: string;
  readonly title: string;
  readonly objects: readonly { readonly group: string; readonly kind: string; readonly namespace: string; readonly name: string }[];
  readonly field: string;
  readonly evidence: readonly { readonly of: string; readonly path: string; readonly value: string }[];
  readonly reach: { readonly count: number; readonly environments: readonly string[]; readonly names: readonly string[] };
  readonly heals: number;
  readonly alone: number;
  readonly chain: readonly { readonly object: string; readonly rule: string; readonly says: string; readonly via: string; readonly grade: string }[];
  readonly consequences: readonly { readonly object: string; readonly rule: string; readonly says: string }[];
  readonly cleared?: readonly string[];
  readonly unverified: readonly string[];
  readonly since: string;
  readonly fix?: Fix | null;
  readonly next?: readonly { readonly cause: string; readonly says: string; readonly pods: number }[];
  readonly patches?: readonly Patch[];
}

export interface Fix {
  readonly where: string;
  readonly say: string;
  readonly commands: readonly string[];
  readonly risk: string;
  readonly reversible: boolean;
  readonly verify: string;
  readonly steps?: readonly { readonly say: string; readonly command: string; readonly check: string }[];
  readonly snippet?: string;
}

export interface Patch {
  readonly file: string;
  readonly repository: string;
  readonly text: string;
}

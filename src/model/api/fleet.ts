/** `GET /api/v1/fleet`: one application as a list of thousands shows it. */
export interface FleetRow {
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
  readonly sync: string;
  readonly health: string;
  /** The phase of its operation, where one runs or failed; else empty. */
  readonly operation: string;
  /** Why, in one sentence; empty where it is Synced and Healthy. */
  readonly cause: string;
  /** The name of the cluster, or its address. */
  readonly cluster: string;
  readonly destinationNamespace: string;
  readonly repository: string;
  readonly targetRevision: string;
  /** When it was last delivered; empty where it never was. */
  readonly deployedAt: string;
}

/** A page of the rows that match, and the counts of all that the caller may see. */
export interface FleetResponse {
  /** How many match. */
  readonly total: number;
  readonly items: readonly FleetRow[];
  readonly counts: FleetCounts;
  /**
   * False before the first look for root causes is over: until then the causes are what the applications say
   * themselves.
   */
  readonly isExplained: boolean;
}

export interface FleetCounts {
  readonly all: number;
  readonly sync: Readonly<Record<string, number>>;
  readonly health: Readonly<Record<string, number>>;
  readonly projects: readonly string[];
  readonly clusters: readonly string[];
  readonly namespaces: readonly string[];
}

/** One application as the fleet shows it. */
export interface FleetRow {
  readonly namespace: string;
  readonly name: string;
  readonly project: string;
  readonly sync: string;
  readonly health: string;
  /** Of an operation under way or just ended. */
  readonly operation: string;
  /** One sentence; empty where it is Synced and Healthy. */
  readonly cause: string;
  readonly destination: string;
  readonly destinationNamespace: string;
  readonly revision: string;
  /** When it was last delivered. */
  readonly deployedAt: string;
}

export interface FleetAnswer {
  readonly total: number;
  readonly items: readonly FleetRow[];
  readonly counts: {
    readonly all: number;
    readonly sync: Readonly<Record<string, number>>;
    readonly health: Readonly<Record<string, number>>;
    readonly projects: readonly string[];
    readonly clusters: readonly string[];
    readonly namespaces: readonly string[];
  };
}

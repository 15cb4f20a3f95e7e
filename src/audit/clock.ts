export interface AuditClock {
  now(): Date;
  /** Calls back after `milliseconds`; the returned function cancels. */
  after(milliseconds: number, callback: () => void): () => void;
}

import { randomBytes, randomUUID } from 'node:crypto';
import type { JsonObject } from '../../../src/model/json/index.js';
import { badRequest } from './vault-error.js';

/** Bytes of a key, and of a share of one. */
const KEY = 32;
const SHARE = KEY + 1;
/** The state of hashicorp/vault whose answers are followed. */
const VERSION = '2.2.0-beta1';
const BUILD_DATE = '2026-08-21T22:04:01Z';

/**
 * Whether a Vault is initialised and open. Shares are not computed from one key: so many different ones of those that
 * were given out open it, which is what everybody can see from outside.
 */
export class Seal {
  #shares: readonly string[] = [];
  #threshold = 0;
  #given: string[] = [];
  #nonce = '';
  readonly #clusterId = randomUUID();
  isSealed = true;

  /** Opens itself after a restart, as with a key management service. */
  constructor(readonly autoUnseal: boolean) {}

  get isInitialised(): boolean {
    return this.#shares.length > 0;
  }

  initialise(shares: number, threshold: number): readonly string[] {
    if (this.isInitialised) throw badRequest('Vault is already initialized');
    const problem = shareViolation(shares, threshold);
    if (problem !== undefined) throw badRequest(`invalid seal configuration: ${problem}`);
    this.#shares = Array.from({ length: shares }, () => randomBytes(shares === 1 ? KEY : SHARE).toString('hex'));
    this.#threshold = threshold;
    this.isSealed = !this.autoUnseal;
    return this.#shares;
  }

  /** One more key; opens with the last that is needed. */
  unseal(key: string): void {
    const bytes = decodeKey(key);
    if (bytes === undefined) throw badRequest("'key' must be a valid hex or base64 string");
    if (!this.isInitialised) throw badRequest('Vault is not initialized');
    if (bytes.length < KEY / 2) throw badRequest(`invalid key: key is shorter than minimum ${KEY / 2} bytes`);
    if (bytes.length > SHARE) throw badRequest(`invalid key: key is longer than maximum ${SHARE} bytes`);
    if (!this.isSealed) return;
    const share = bytes.toString('hex');
    if (this.#given.includes(share)) return;
    if (this.#given.length === 0) this.#nonce = randomUUID();
    this.#given.push(share);
    if (this.#given.length < this.#threshold) return;
    const isOpened = this.#given.every((each) => this.#shares.includes(each));
    this.reset();
    if (!isOpened)
      throw badRequest(
        'unable to retrieve stored keys: invalid key: failed to decrypt keys from storage: error decrypting ' +
          'seal wrapped value\nerror decrypting using seal shamir: cipher: message authentication failed',
      );
    this.isSealed = false;
  }

  /** Forgets the keys that were given so far. */
  reset(): void {
    this.#given = [];
    this.#nonce = '';
  }

  seal(): void {
    this.isSealed = true;
    this.reset();
  }

  /** What a new process over the same storage is. */
  restart(): void {
    if (!this.isInitialised || !this.autoUnseal) this.seal();
  }

  status(): JsonObject {
    const isOpen = this.isInitialised && !this.isSealed;
    return {
      type: this.autoUnseal ? 'transit' : 'shamir',
      initialized: this.isInitialised,
      sealed: this.isSealed,
      t: this.#threshold,
      n: this.#shares.length,
      progress: this.#given.length,
      nonce: this.#nonce,
      version: VERSION,
      build_date: BUILD_DATE,
      migration: false,
      ...(isOpen ? { cluster_name: 'vault-cluster-argosy', cluster_id: this.#clusterId } : {}),
      recovery_seal: this.autoUnseal,
      storage_type: 'inmem',
    };
  }

  /** `sys/health` tells by its status: 200 open, 501 not initialised, 503 sealed. */
  health(now: Date): { readonly status: number; readonly body: JsonObject } {
    const isOpen = this.isInitialised && !this.isSealed;
    const closed = this.isInitialised ? 503 : 501;
    return {
      status: isOpen ? 200 : closed,
      body: {
        initialized: this.isInitialised,
        sealed: this.isSealed,
        standby: !isOpen,
        performance_standby: false,
        replication_performance_mode: isOpen ? 'disabled' : 'unknown',
        replication_dr_mode: isOpen ? 'disabled' : 'unknown',
        server_time_utc: Math.floor(now.getTime() / 1000),
        version: VERSION,
        enterprise: false,
        ...(isOpen ? { cluster_name: 'vault-cluster-argosy', cluster_id: this.#clusterId } : {}),
        echo_duration_ms: 0,
        clock_skew_ms: 0,
      },
    };
  }
}

function shareViolation(shares: number, threshold: number): string | undefined {
  if (shares < 1) return 'shares must be at least one';
  if (threshold < 1) return 'threshold must be at least one';
  if (shares > 1 && threshold === 1) return 'threshold must be greater than one for multiple shares';
  if (shares > 255) return 'shares must be less than 256';
  return threshold > shares ? 'threshold cannot be larger than shares' : undefined;
}

function decodeKey(key: string): Buffer | undefined {
  if (/^([0-9a-fA-F]{2})+$/.test(key) && key.length >= KEY && key.length <= 2 * SHARE) return Buffer.from(key, 'hex');
  const bytes = Buffer.from(key, 'base64');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(key) && key.length % 4 === 0 ? bytes : undefined;
}

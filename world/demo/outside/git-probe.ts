import { Fault } from '../../../src/model/faults/index.js';
import { isObject, own, type Json, type JsonObject } from '../../../src/model/json/index.js';
import type { RepositoryAccess, Sources } from '../../../src/source/index.js';

/** What a stage may ask of us, as the API server hands it on. */
export type Probe = (
  input: JsonObject,
  facts: { readonly namespace: string; secret(namespace: string, name: string): JsonObject | undefined },
) => Promise<JsonObject>;

/**
 * Asks a git server which commit a branch or tag is at, with what a Secret holds: `{commit}`, or `{reason, message}`
 * with one of Authentication, NotFound, RefNotFound, Unreachable. Nothing is cloned.
 */
export function gitProbe(sources: Pick<Sources, 'peek'>): Probe {
  return async (input, { namespace, secret }) => {
    const [uri, ref, name] = [text(input.uri), text(input.ref), text(input.secret)];
    const access = name === '' ? {} : accessOf(secret(namespace, name));
    try {
      return { commit: (await sources.peek(uri, ref === '' ? 'HEAD' : ref, access)).commit };
    } catch (error) {
      if (error instanceof Fault) return { reason: reasonOf(error), message: error.message };
      throw error;
    }
  };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** As builds read them: `username` and `password`, or `ssh-privatekey`. */
function accessOf(data: JsonObject | undefined): RepositoryAccess {
  const plain = (key: string): string =>
    Buffer.from(text(isObject(data) ? own(data, key) : undefined), 'base64')
      .toString('utf8')
      .trim();
  const [username, password, key] = [plain('username'), plain('password'), plain('ssh-privatekey')];
  return {
    ...(username === '' ? {} : { username }),
    ...(password === '' ? {} : { password }),
    ...(key === '' ? {} : { sshPrivateKey: key }),
  };
}

function reasonOf({ code, message }: Fault): string {
  if (code === 'REVISION_UNKNOWN') return 'RefNotFound';
  if (code === 'SOURCE_REFUSED') return message.includes('is not there') ? 'NotFound' : 'Authentication';
  return 'Unreachable';
}

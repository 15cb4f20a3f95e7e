import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Fault } from '../../model/faults/index.js';
import { isObject, objectsAt, own, textAt, type Json } from '../../model/json/index.js';
import { readOneYaml, writeYaml } from '../../model/yaml/index.js';

/** A server that somebody logged in to. */
export interface Context {
  readonly name: string;
  /** Such as `https://argocd.example.com`. */
  readonly server: string;
  /** Its certificate is not checked. */
  readonly isInsecure: boolean;
  readonly token: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The file of contexts, in the form that Argo CD's own has. */
export function contextsFile(environment: Environment): string {
  const folder = environment['XDG_CONFIG_HOME'] ?? join(environment['HOME'] ?? homedir(), '.config');
  return environment['ARGOSY_CONFIG'] ?? join(folder, 'argosy', 'config');
}

/** Contexts of this user, kept in one file that nobody else may read. */
export class Contexts {
  readonly #file: string;

  constructor(environment: Environment) {
    this.#file = contextsFile(environment);
  }

  /** The context of a name, or the current one. */
  find(name: string | undefined): Context | undefined {
    const { current, contexts } = this.#read();
    const wanted = name ?? current;
    return contexts.find(
      (context) => context.name === wanted || (name !== undefined && hostOf(context.server) === name),
    );
  }

  /** What commands use who are not told a server. */
  need(name: string | undefined): Context {
    const found = this.find(name);
    if (found === undefined)
      throw new Fault('LOGIN_NEEDED', name === undefined ? 'not logged in' : `not logged in to ${name}`, {
        where: this.#file,
      });
    if (found.token === '')
      throw new Fault('LOGIN_NEEDED', `the session with ${found.name} has ended`, { where: this.#file });
    return found;
  }

  /** Becomes the current one. */
  keep(context: Context): void {
    const { contexts } = this.#read();
    this.#write(context.name, [...contexts.filter(({ name }) => name !== context.name), context]);
  }

  /** The server stays known, the token goes. */
  forget(name: string): void {
    const { current, contexts } = this.#read();
    this.#write(
      current,
      contexts.map((context) => (context.name === name ? { ...context, token: '' } : context)),
    );
  }

  #read(): { current: string; contexts: Context[] } {
    if (!existsSync(this.#file)) return { current: '', contexts: [] };
    const value = this.#parse();
    const root = isObject(value) ? value : {};
    const servers = new Map(objectsAt(root, 'servers').map((server) => [textAt(server, 'server'), server]));
    const users = new Map(objectsAt(root, 'users').map((user) => [textAt(user, 'name'), user]));
    return {
      current: textAt(root, 'current-context'),
      contexts: objectsAt(root, 'contexts').map((context) => {
        const [server, user] = [servers.get(textAt(context, 'server')) ?? {}, users.get(textAt(context, 'user')) ?? {}];
        const address = textAt(context, 'server');
        return {
          name: textAt(context, 'name'),
          server: `${own(server, 'plain-text') === true ? 'http' : 'https'}://${address}`,
          isInsecure: own(server, 'insecure') === true,
          token: textAt(user, 'auth-token'),
        };
      }),
    };
  }

  #parse(): Json {
    try {
      return readOneYaml(readFileSync(this.#file, 'utf8'), { dialect: 'kubernetes', file: this.#file });
    } catch (error) {
      // The text of the file holds tokens: what the reader says of it is not passed on.
      throw new Fault('FILE_UNREADABLE', 'cannot read the contexts file; delete it to start over', {
        where: this.#file,
        cause: error instanceof Fault ? undefined : error,
      });
    }
  }

  #write(current: string, contexts: readonly Context[]): void {
    const text = writeYaml({
      contexts: contexts.map(({ name, server }) => ({ name, server: hostOf(server), user: name })),
      'current-context': current,
      servers: contexts.map(({ server, isInsecure }) => ({
        server: hostOf(server),
        ...(server.startsWith('http:') ? { 'plain-text': true } : {}),
        ...(isInsecure ? { insecure: true } : {}),
      })),
      users: contexts.map(({ name, token }) => ({ name, ...(token === '' ? {} : { 'auth-token': token }) })),
    });
    try {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      const unfinished = `${this.#file}.${process.pid}`;
      writeFileSync(unfinished, text, { mode: 0o600 });
      chmodSync(unfinished, 0o600);
      renameSync(unfinished, this.#file);
    } catch (error) {
      throw new Fault('FILE_UNREADABLE', 'cannot write the contexts file', { where: this.#file, cause: error });
    }
  }
}

/** Host, port and path of an address: what contexts are called. */
export function hostOf(server: string): string {
  const { host, pathname } = new URL(server);
  return `${host}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}

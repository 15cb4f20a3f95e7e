import { Fault } from '../../model/faults/index.js';
import { isArray, isObject, own, type Json } from '../../model/json/index.js';

/** A value of a kubeconfig that knows where it stands, so that a fault can name file and field. */
export class Field {
  constructor(
    readonly file: string,
    readonly path: string,
    readonly value: Json | undefined,
  ) {}

  at(name: string): Field {
    const inside = isObject(this.value) ? own(this.value, name) : undefined;
    return new Field(this.file, this.path === '' ? name : `${this.path}.${name}`, inside);
  }

  get isSet(): boolean {
    return this.value !== undefined && this.value !== null && this.value !== '';
  }

  fail(message: string): never {
    throw new Fault('KUBECONFIG_INVALID', message, {
      where: this.path === '' ? this.file : `${this.file}: ${this.path}`,
    });
  }

  object(): this {
    if (!isObject(this.value)) this.fail(this.isSet ? `${this.#name} must be a map` : `${this.#name} is missing`);
    return this;
  }

  list(): Field[] {
    if (this.value === undefined || this.value === null) return [];
    if (!isArray(this.value)) return this.fail(`${this.#name} must be a list`);
    return this.value.map((item, index) => new Field(this.file, `${this.path}[${index}]`, item));
  }

  /** The text, or empty where there is none. */
  text(): string {
    if (this.value === undefined || this.value === null) return '';
    return typeof this.value === 'string' ? this.value : this.fail(`${this.#name} must be text`);
  }

  required(): string {
    return this.text() || this.fail(`${this.#name} is missing`);
  }

  flag(): boolean {
    if (this.value === undefined || this.value === null) return false;
    return typeof this.value === 'boolean' ? this.value : this.fail(`${this.#name} must be true or false`);
  }

  texts(): string[] {
    return this.list().map((item) => item.text());
  }

  /** The bytes behind base64, as text. */
  base64(): string {
    const text = this.text().replace(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) this.fail(`${this.#name} is not base64`);
    return Buffer.from(text, 'base64').toString('utf8');
  }

  get #name(): string {
    return this.path === '' ? 'the file' : this.path.slice(this.path.lastIndexOf('.') + 1);
  }
}

import type { RenderRequest } from './render-request.js';

/** The variables that a source may name, and which of them it did: only those matter for a cached result. */
export class BuildEnvironment {
  readonly #values: ReadonlyMap<string, string>;
  readonly used = new Map<string, string>();

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  /** Fills `$NAME` and `${NAME}`, as Go's os.Expand does; `$$` is a dollar, an unknown name is nothing. */
  expand(text: string): string {
    if (!text.includes('$')) return text;
    return text.replace(
      /\$(?:\{([^}]*)(\}|$)|([A-Za-z_][A-Za-z0-9_]*|[*#$@!?\-0-9]))/g,
      (_, braced: string | undefined, end: string | undefined, plain: string = '') => {
        if (braced === undefined) return this.#read(plain);
        // A bracket that is never closed is text; no other can be closed behind it.
        return end === '}'
          ? this.#read(braced)
          : `\${${braced.replace(/\$([A-Za-z_][A-Za-z0-9_]*|[*#$@!?\-0-9])/g, (__, name: string) => this.#read(name))}`;
      },
    );
  }

  #read(name: string): string {
    if (name === '$') return '$';
    const value = this.#values.get(name) ?? '';
    this.used.set(name, value);
    return value;
  }
}

/** What Argo CD gives to every tool. */
export function environmentValues({ application, tree, source }: RenderRequest): Map<string, string> {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return new Map([
    ['ARGOCD_APP_NAME', application.name],
    ['ARGOCD_APP_NAMESPACE', application.namespace],
    ['ARGOCD_APP_PROJECT_NAME', application.project],
    ['ARGOCD_APP_REVISION', tree.commit],
    ['ARGOCD_APP_REVISION_SHORT', tree.commit.slice(0, 7)],
    ['ARGOCD_APP_REVISION_SHORT_8', tree.commit.slice(0, 8)],
    ['ARGOCD_APP_SOURCE_PATH', text(source.path)],
    ['ARGOCD_APP_SOURCE_REPO_URL', text(source.repoURL)],
    ['ARGOCD_APP_SOURCE_TARGET_REVISION', text(source.targetRevision)],
  ]);
}

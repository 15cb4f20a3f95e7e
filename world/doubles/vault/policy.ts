export type Capability = 'create' | 'read' | 'update' | 'delete' | 'list';

interface Rule {
  readonly path: string;
  readonly capabilities: readonly string[];
}

/** The rules of a policy: `path "secret/data/*" { capabilities = ["read"] }`. */
export function parsePolicy(text: string): Rule[] {
  return [...text.matchAll(/path\s+"([^"]*)"\s*\{([^{}]*)\}/g)].map(([, path = '', body = '']) => {
    const list = /capabilities\s*=\s*\[([^\][]*)\]/.exec(body)?.[1] ?? '';
    return { path, capabilities: [...list.matchAll(/"([^"]*)"/g)].map(([, capability = '']) => capability) };
  });
}

/** The longest rule that fits decides, as in Vault; `+` stands for one part, `*` at the end for any rest. */
export function isAllowed(rules: readonly Rule[], path: string, capability: Capability): boolean {
  const fitting = rules.filter((rule) => fits(rule.path, path)).sort((a, b) => b.path.length - a.path.length);
  const capabilities = fitting
    .filter((rule) => rule.path.length === fitting[0]?.path.length)
    .flatMap((rule) => rule.capabilities);
  return !capabilities.includes('deny') && (capabilities.includes(capability) || capabilities.includes('sudo'));
}

function fits(rule: string, path: string): boolean {
  const isOpen = rule.endsWith('*');
  const [wanted, given] = [(isOpen ? rule.slice(0, -1) : rule).split('/'), path.split('/')];
  if (isOpen ? given.length < wanted.length : given.length !== wanted.length) return false;
  return wanted.every(
    (part, index) =>
      part === '+' ||
      part === given[index] ||
      (isOpen && index === wanted.length - 1 && (given[index] ?? '').startsWith(part)),
  );
}

import type { CauseView, FixView } from '../../model/api/index.js';
import { parseNamed, objectText, type NamedObject } from './named-object.js';

export interface Reader {
  maySee(object: NamedObject): boolean;
  /** By its name alone, as the reach of a cause has it. */
  maySeeApplication(name: string): boolean;
  /** Namespaces of others, whatever is in them. */
  readonly hiddenNamespaces: ReadonlySet<string>;
}

export type Parts = Pick<CauseView, 'title' | 'objects' | 'evidence' | 'reach' | 'chain' | 'consequences'>;

const HIDDEN = '(hidden)';
/** Shorter names are words of sentences, too. */
const MIN_NAME = 3;

/**
 * What is left of a cause for a reader; undefined where nothing that it blames may be seen. Objects of others go with
 * everything that was said of them; sentences about others that mention them lose their names.
 */
export function hideForeign(cause: CauseView, reader: Reader): CauseView | undefined {
  const objects = cause.objects.filter((object) => reader.maySee(object));
  if (objects.length === 0 && cause.objects.length > 0) return undefined;
  const mask = maskOf(cause, reader);
  const names = cause.reach.names.filter((name) => reader.maySeeApplication(name));
  const isWhole = objects.length === cause.objects.length;
  const isWholeReach = names.length === cause.reach.names.length;
  const isVisible = (text: string): boolean => {
    const object = parseNamed(text);
    return object === undefined || reader.maySee(object);
  };
  return {
    ...cause,
    title: mask(cause.title),
    objects,
    evidence: cause.evidence.filter(({ of }) => isVisible(of)).map((each) => ({ ...each, value: mask(each.value) })),
    reach: isWholeReach ? cause.reach : { count: names.length, environments: [], names },
    heals: isWholeReach ? cause.heals : Math.min(cause.heals, names.length),
    alone: isWholeReach ? cause.alone : Math.min(cause.alone, names.length),
    chain: cause.chain
      .filter(({ object }) => isVisible(object))
      .map((step) => ({ ...step, says: mask(step.says), via: mask(step.via) })),
    consequences: cause.consequences
      .filter(({ object }) => isVisible(object))
      .map((each) => ({ ...each, says: mask(each.says) })),
    unverified: cause.unverified.map(mask),
    // A fix and its patches are made for all objects that are blamed.
    fix: isWhole && cause.fix !== null ? maskFix(cause.fix, mask) : null,
    next: cause.next.map((each) => ({ ...each, says: mask(each.says) })),
    patches: isWhole ? cause.patches : [],
    proof: isWhole ? cause.proof.map(mask) : [],
  };
}

/** The title for a list; undefined where nothing that the cause blames may be seen. */
export function titleFor(cause: Parts, reader: Reader): string | undefined {
  if (cause.objects.length > 0 && !cause.objects.some((object) => reader.maySee(object))) return undefined;
  return maskOf(cause, reader)(cause.title);
}

function maskFix(fix: FixView, mask: (text: string) => string): FixView {
  return {
    ...fix,
    where: mask(fix.where),
    say: mask(fix.say),
    commands: fix.commands.map(mask),
    risk: mask(fix.risk),
    verify: mask(fix.verify),
    steps: fix.steps.map((step) => ({ say: mask(step.say), command: mask(step.command), check: mask(step.check) })),
    snippet: mask(fix.snippet),
  };
}

/** Takes names of hidden objects, and whatever is in a namespace of others, out of a sentence. */
function maskOf(cause: Parts, reader: Reader): (text: string) => string {
  const named = [
    ...cause.objects.map(objectText),
    ...cause.evidence.map(({ of }) => of),
    ...[...cause.chain, ...cause.consequences].map(({ object }) => object),
  ].flatMap((text) => parseNamed(text) ?? []);
  const [shown, hidden] = [named.filter(reader.maySee, reader), named.filter((object) => !reader.maySee(object))];
  const visible = new Set(shown.flatMap(({ namespace, name }) => [namespace, name]));
  const words = new Set(
    [
      ...hidden.flatMap(({ namespace, name }) => [namespace, name]),
      ...cause.reach.names.filter((name) => !reader.maySeeApplication(name)),
      ...reader.hiddenNamespaces,
    ].filter((word) => word.length >= MIN_NAME && !visible.has(word)),
  );
  if (words.size === 0) return (text) => text;
  // A name with what is written around it, such as namespace/name or name.namespace.svc.
  return (text) =>
    text.replace(/[\w-]+(?:[./:][\w-]+)*/g, (token) =>
      words.has(token) || token.split(/[./:]/).some((part) => words.has(part)) ? HIDDEN : token,
    );
}

import type { CauseView as Cause } from '../../src/model/api/index.js';

/** A box of the drawing, with everything that is known of it; the drawing cuts what does not fit. */
export interface GraphBox {
  readonly id: string;
  readonly role: 'root' | 'step' | 'sufferer' | 'rest';
  readonly kind: string;
  readonly name: string;
  readonly says: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface GraphArrow {
  readonly id: string;
  readonly path: string;
  readonly label: string;
  readonly x: number;
  readonly y: number;
  /** Nothing but a convention says so. */
  readonly isLoose: boolean;
}

export interface Graph {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly GraphBox[];
  readonly arrows: readonly GraphArrow[];
}

const STEP = { width: 360, height: 62, gap: 34 } as const;
const END = { width: 204, height: 34, gap: 8 } as const;
/** Room for the arrows that fan out. */
const FAN = 68;
const MAX_SUFFERERS = 9;

/** The cause stands on top, what it breaks below it, step by step; who suffers stands to the right of the last step. */
export function causeGraph({
  chain,
  reach,
  title,
  objects,
}: Pick<Cause, 'chain' | 'reach' | 'title' | 'objects'>): Graph {
  const [root] = objects;
  const steps =
    chain.length > 0
      ? chain.toReversed()
      : [
          {
            object:
              root === undefined
                ? ''
                : `${root.kind} ${root.namespace === '' ? root.name : `${root.namespace}/${root.name}`}`,
            rule: '',
            says: title,
            via: '',
            grade: '',
          },
        ];
  const sufferers = suffering(reach, steps.at(-1)?.object ?? '');
  const stepsHeight = steps.length * (STEP.height + STEP.gap) - STEP.gap;
  const endsHeight = sufferers.length * (END.height + END.gap) - END.gap;
  const height = Math.max(stepsHeight, endsHeight);
  const boxes = steps.map(
    (step, index): GraphBox => ({
      id: `step-${index}`,
      role: index === 0 ? 'root' : 'step',
      ...partsOf(step.object),
      says: step.says,
      x: 0,
      y: index * (STEP.height + STEP.gap),
      width: STEP.width,
      height: STEP.height,
    }),
  );
  const ends = sufferers.map(
    ({ name, role }, index): GraphBox => ({
      id: `end-${index}`,
      role,
      kind: '',
      name,
      says: '',
      x: STEP.width + FAN,
      y: height - endsHeight + index * (END.height + END.gap),
      width: END.width,
      height: END.height,
    }),
  );
  // A step says by which field it came from the one before it in the chain, which here stands after it.
  const down = steps.slice(0, -1).map((step, index) => downwards(`arrow-${index}`, boxes[index], step));
  const across = ends.map((end) => sideways(boxes.at(-1), end));
  return {
    width: STEP.width + (ends.length > 0 ? FAN + END.width : 0),
    height,
    boxes: [...boxes, ...ends],
    arrows: [...down, ...across],
  };
}

function suffering(
  { names, count }: Cause['reach'],
  last: string,
): { readonly name: string; readonly role: 'sufferer' | 'rest' }[] {
  // A chain that ends with the only application that suffers has said it.
  if (last.startsWith('Application ') && count <= 1) return [];
  const shown = names.slice(0, names.length > MAX_SUFFERERS ? MAX_SUFFERERS - 1 : MAX_SUFFERERS);
  return [
    ...shown.map((name) => ({ name, role: 'sufferer' as const })),
    ...(count > shown.length ? [{ name: `${count - shown.length} more`, role: 'rest' as const }] : []),
  ];
}

/** `Kind namespace/name` in its parts; anything else is a name. */
function partsOf(object: string): { readonly kind: string; readonly name: string } {
  const space = object.indexOf(' ');
  return space < 0 || !/^[A-Z]/.test(object)
    ? { kind: '', name: object }
    : { kind: object.slice(0, space), name: object.slice(space + 1) };
}

function downwards(id: string, from: GraphBox | undefined, { via, grade }: Cause['chain'][number]): GraphArrow {
  const [x, y] = [28, (from?.y ?? 0) + STEP.height];
  return {
    id,
    path: `M${x} ${y}V${y + STEP.gap - 3}`,
    label: via,
    x: x + 12,
    y: y + STEP.gap / 2 + 4,
    isLoose: grade === 'C' || grade === 'D',
  };
}

function sideways(from: GraphBox | undefined, to: GraphBox): GraphArrow {
  const [a, b] = [
    { x: STEP.width, y: (from?.y ?? 0) + STEP.height / 2 },
    { x: to.x, y: to.y + to.height / 2 },
  ];
  const bend = (b.x - a.x) / 2;
  return {
    id: `to-${to.id}`,
    path: `M${a.x} ${a.y}C${a.x + bend} ${a.y} ${b.x - bend} ${b.y} ${b.x - 3} ${b.y}`,
    label: '',
    x: 0,
    y: 0,
    isLoose: false,
  };
}

/** Cut in the middle, where names differ least. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = Math.ceil((most - 1) * 0.55);
  return `${text.slice(0, head)}…${text.slice(text.length - (most - 1 - head))}`;
}

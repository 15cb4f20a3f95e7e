import {
  memo,
  useCallback,
  useEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import './terminal.css';
import { useContainers } from '../http/use-containers';
import type { AppRef } from '../http/application-path';
import { ContainerSelect } from '../parts/container-select';
import { connect, type Connection } from './connection';
import { Escapes } from './escapes';
import { textOfKey } from './keys';
import { PLAIN, Screen, type CellStyle, type Row } from './screen';

interface TerminalProps {
  readonly app: AppRef;
  readonly project: string;
  readonly pod: { readonly name: string; readonly namespace?: string };
}

/** A shell in a container of a pod. */
export function TerminalView({ app, project, pod }: TerminalProps): ReactNode {
  const containers = useContainers(app, pod);
  const [chosen, setChosen] = useState('');
  const [round, setRound] = useState(0);
  const container = chosen === '' ? (containers[0] ?? '') : chosen;
  const box = useRef<HTMLDivElement>(null);
  const { screen, escapes, connection, ended } = useShell({ app, project, pod, container, round }, box);
  const onKeyDown = (event: KeyboardEvent): void => {
    const text = textOfKey(event, escapes?.hasApplicationKeys === true);
    if (text === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    connection?.type(text);
  };
  const onPaste = (event: ClipboardEvent): void => {
    event.preventDefault();
    connection?.type(event.clipboardData.getData('text').replaceAll(/\r?\n/g, '\r'));
  };
  return (
    <>
      <div className="filters">
        <ContainerSelect containers={containers} chosen={container} onChoose={setChosen} />
        <span className="faint" role="status">
          {statusText(ended)}
        </span>
        {ended === undefined ? null : (
          <button
            type="button"
            className="button small"
            onClick={() => {
              setRound((before) => before + 1);
            }}
          >
            Start a new shell
          </button>
        )}
      </div>
      <div
        className="terminal"
        ref={box}
        tabIndex={0}
        role="textbox"
        aria-multiline="true"
        aria-label={`Terminal in ${pod.name}, container ${container}`}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      >
        {screen === undefined ? null : <Rows screen={screen} isLive={ended === undefined} />}
        <span className="terminal-ruler" aria-hidden="true">
          MMMMMMMMMM
        </span>
      </div>
    </>
  );
}

function statusText(ended: string | undefined): string {
  if (ended === undefined) return 'Shift+Tab leaves the terminal';
  return ended === '' ? 'The shell has exited.' : `Session ended: ${ended}.`;
}

interface Shell {
  readonly screen: Screen | undefined;
  readonly escapes: Escapes | undefined;
  readonly connection: Connection | undefined;
  /** Undefined while it runs. */
  readonly ended: string | undefined;
}

interface Wanted extends TerminalProps {
  readonly container: string;
  /** Another number is another shell. */
  readonly round: number;
}

/** One shell for one container, on a screen as large as its box. */
function useShell({ app, project, pod, container, round }: Wanted, box: RefObject<HTMLDivElement | null>): Shell {
  const [shell, setShell] = useState<Shell>({
    screen: undefined,
    escapes: undefined,
    connection: undefined,
    ended: undefined,
  });
  const draw = useDrawing(box);
  useEffect(() => {
    const element = box.current;
    if (container === '' || element === null) return;
    const [columns, lines] = sizeOf(element);
    const screen = new Screen(columns, lines);
    const connection = connect(
      { app, project, namespace: pod.namespace ?? '', pod: pod.name, container },
      {
        onText: (text) => {
          escapes.write(text);
          draw();
        },
        onEnd: (ended) => {
          setShell((before) => ({ ...before, ended }));
        },
      },
    );
    const escapes = new Escapes(screen, (text) => {
      connection.type(text);
    });
    connection.resize(columns, lines);
    setShell({ screen, escapes, connection, ended: undefined });
    element.focus();
    const observer = new ResizeObserver(() => {
      const [width, height] = sizeOf(element);
      if (width === screen.columns && height === screen.lines) return;
      screen.resize(width, height);
      connection.resize(width, height);
      draw();
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      connection.close();
    };
  }, [app.name, app.namespace, project, pod.name, pod.namespace, container, round, draw, box]);
  return shell;
}

/** Draws once for all that came since the last picture, and follows the end unless somebody reads further up. */
function useDrawing(box: RefObject<HTMLDivElement | null>): () => void {
  const [, setPicture] = useState(0);
  const pending = useRef(false);
  return useCallback(() => {
    if (pending.current) return;
    pending.current = true;
    requestAnimationFrame(() => {
      pending.current = false;
      const element = box.current;
      const isAtEnd = element === null || element.scrollHeight - element.scrollTop - element.clientHeight < 40;
      setPicture((before) => before + 1);
      if (isAtEnd)
        requestAnimationFrame(() => {
          element?.scrollTo({ top: element.scrollHeight });
        });
    });
  }, [box]);
}

/** Columns and lines that fit. */
function sizeOf(element: HTMLElement): readonly [columns: number, lines: number] {
  const ruler = element.querySelector('.terminal-ruler')?.getBoundingClientRect();
  const style = getComputedStyle(element);
  const [width, height] = [
    element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight),
    element.clientHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom),
  ];
  if (ruler === undefined || ruler.width === 0) return [80, 24];
  return [Math.max(20, Math.floor(width / (ruler.width / 10))), Math.max(5, Math.floor(height / ruler.height))];
}

function Rows({ screen, isLive }: { readonly screen: Screen; readonly isLive: boolean }): ReactNode {
  const cursor = isLive && screen.isCursorShown ? screen.row : -1;
  const before = screen.isOther ? [] : screen.scrollback;
  return (
    <>
      {[...before, ...screen.rows].map((row, index) => (
        <RowView
          key={row.id}
          row={row}
          version={row.version}
          cursor={index - before.length === cursor ? screen.column : -1}
        />
      ))}
    </>
  );
}

const RowView = memo(
  ({ row, cursor }: { readonly row: Row; readonly version: number; readonly cursor: number }): ReactNode => (
    <div>
      {runsOf(row, cursor).map(({ text, name }, index) =>
        name === '' ? (
          text
        ) : (
          <span key={index} className={name}>
            {text}
          </span>
        ),
      )}
    </div>
  ),
);
RowView.displayName = 'RowView';

/**
 * Characters that look the same, together; the cursor stands alone. Blanks at the end are nothing, so that nobody
 * copies them.
 */
function runsOf({ cells }: Row, cursor: number): { text: string; readonly name: string }[] {
  const runs: { text: string; readonly name: string }[] = [];
  const length = Math.max(1 + cells.findLastIndex(({ text, style }) => text !== ' ' || style !== PLAIN), cursor + 1);
  for (let column = 0; column < length; column++) {
    const cell = cells[column];
    const name = `${cell === undefined ? '' : classOf(cell.style)}${column === cursor ? ' is-cursor' : ''}`;
    const last = runs.at(-1);
    if (last?.name === name) last.text += cell?.text ?? ' ';
    else runs.push({ text: cell?.text ?? ' ', name });
  }
  return runs;
}

function classOf({ colour, background, isBold, isUnderlined, isInverse }: CellStyle): string {
  return [
    colour === undefined ? '' : `c${colour}`,
    background === undefined ? '' : `b${background}`,
    isBold ? 'is-bold' : '',
    isUnderlined ? 'is-underlined' : '',
    isInverse ? 'is-inverse' : '',
  ]
    .filter((name) => name !== '')
    .join(' ');
}

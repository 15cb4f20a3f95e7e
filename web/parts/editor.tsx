import { useRef, type KeyboardEvent, type ReactNode } from 'react';

interface EditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Lines that something was found in. */
  readonly marked?: ReadonlySet<number>;
}

/** A plain text field that knows its lines. Tab leaves it, as everywhere; two spaces are typed with Ctrl-]. */
export function Editor({ label, value, onChange, marked }: EditorProps): ReactNode {
  const numbers = useRef<HTMLDivElement>(null);
  const count = value.split('\n').length;
  const indent = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if (!(event.ctrlKey && event.key === ']')) return;
    event.preventDefault();
    const { selectionStart, selectionEnd } = event.currentTarget;
    onChange(`${value.slice(0, selectionStart)}  ${value.slice(selectionEnd)}`);
  };
  return (
    <div className="editor">
      <div className="editor-numbers" ref={numbers} aria-hidden="true">
        {Array.from({ length: count }, (_, index) => (
          <div key={index} className={marked?.has(index + 1) === true ? 'is-marked' : undefined}>
            {index + 1}
          </div>
        ))}
      </div>
      <textarea
        aria-label={label}
        value={value}
        spellCheck={false}
        autoComplete="off"
        wrap="off"
        onKeyDown={indent}
        onChange={(event) => {
          onChange(event.target.value);
        }}
        onScroll={(event) => {
          if (numbers.current !== null) numbers.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}

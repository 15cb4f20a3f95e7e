import { useRef, type KeyboardEvent, type ReactNode } from 'react';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  readonly count?: number;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly current: Name;
  readonly onChoose: (name: Name) => void;
  readonly panel: string;
}

const STEPS = new Map([
  ['ArrowRight', 1],
  ['ArrowLeft', -1],
]);

/** By the ARIA Authoring Practices: one tab stop, arrow keys between tabs. */
export function Tabs<Name extends string>({ label, tabs, current, onChoose, panel }: TabsProps<Name>): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = STEPS.get(event.key);
    if (step === undefined) return;
    const at = tabs.findIndex(({ name }) => name === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    onChoose(next.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
      {tabs.map(({ name, title, count }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`tab-${name}`}
          data-tab={name}
          className="tab"
          aria-selected={name === current}
          aria-controls={name === current ? panel : undefined}
          tabIndex={name === current ? 0 : -1}
          onClick={() => {
            onChoose(name);
          }}
        >
          {title}
          {count === undefined || count === 0 ? null : <span className="tab-count">{count}</span>}
        </button>
      ))}
    </div>
  );
}

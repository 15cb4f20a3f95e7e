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

/** Tabs as the guide for authors of accessible pages wants them: one stop for the keyboard, arrows between. */
export function Tabs<Name extends string>({ label, tabs, current, onChoose, panel }: TabsProps<Name>): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
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

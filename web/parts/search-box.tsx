import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Icon } from './icon';

const DEBOUNCE = 150;

/** Tells what was typed once the typing pauses. Escape empties it and leaves. */
export function SearchBox({
  value,
  onSearch,
  label,
  placeholder,
}: {
  readonly value: string;
  readonly onSearch: (text: string) => void;
  readonly label: string;
  readonly placeholder: string;
}): ReactNode {
  const [text, setText] = useState(value);
  const tell = useRef(onSearch);
  tell.current = onSearch;
  useEffect(() => {
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => {
      tell.current(text);
    }, DEBOUNCE);
    return () => {
      clearTimeout(timer);
    };
  }, [text, value]);
  return (
    <label className="search">
      <span className="sr-only">{label}</span>
      <Icon name="search" />
      <input
        type="search"
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            setText('');
            event.currentTarget.blur();
          }
        }}
      />
      <kbd>/</kbd>
    </label>
  );
}

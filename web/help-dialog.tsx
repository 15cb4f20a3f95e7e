import type { ReactNode } from 'react';
import { Dialog } from './parts/dialog';

const KEYS: readonly (readonly [string, readonly (readonly [string, string])[]])[] = [
  [
    'Everywhere',
    [
      ['/', 'search on this page'],
      ['?', 'this list'],
      ['g f', 'fleet'],
      ['g t', 'triage'],
      ['g n', 'notebooks'],
      ['g h', 'health lab'],
      ['g s', 'settings'],
      ['T', 'light, dark or system theme'],
      ['Esc', 'close'],
    ],
  ],
  [
    'Fleet',
    [
      ['j k', 'next and previous application'],
      ['Enter', 'open it'],
      ['v', 'table or tiles'],
    ],
  ],
  [
    'Application',
    [
      ['s', 'sync'],
      ['r', 'refresh'],
      ['1 – 9', 'tabs'],
      ['u', 'back to the fleet'],
    ],
  ],
  ['Triage', [['j k', 'next and previous cause']]],
];

/** Everything works without a mouse. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      {KEYS.map(([title, keys]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl className="keys">
            {keys.map(([key, does]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

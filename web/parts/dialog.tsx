import { useEffect, useRef, type ReactNode } from 'react';
import { Icon } from './icon';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly footer?: ReactNode;
  readonly kind?: 'box' | 'drawer';
}

/** A window over the page, or a drawer at its side: the browser keeps the keyboard inside and closes it with Escape. */
export function Dialog({ title, onClose, children, footer, kind = 'box' }: DialogProps): ReactNode {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => {
      dialog?.close();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={kind}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div className="dialog-frame">
        <header className="dialog-head">
          <h2>{title}</h2>
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        <div className="dialog-body" tabIndex={0} role="group" aria-label={title}>
          {children}
        </div>
        {footer === undefined ? null : <footer className="dialog-foot">{footer}</footer>}
      </div>
    </dialog>
  );
}

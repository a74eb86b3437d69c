// SPDX-License-Identifier: MIT
// A button with a menu below it.
import { useEffect, useRef, useState, type KeyboardEvent } from "react";

export interface MenuItem {
  label: string;
  /** A second line, in small type. */
  detail?: string;
  act(): void;
}

export function Menu({ label, items }: { label: string; items: MenuItem[] }) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (!isOpen) {
      return undefined;
    }
    root.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const outside = (event: PointerEvent) => !root.current?.contains(event.target as Node) && setOpen(false);
    document.addEventListener("pointerdown", outside);
    return () => document.removeEventListener("pointerdown", outside);
  }, [isOpen]);

  const keys = (event: KeyboardEvent) => {
    const all = [...(root.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const step = steps[event.key];
    if (event.key === "Escape") {
      setOpen(false);
      button.current?.focus();
    } else if (isOpen && step !== undefined) {
      all.at(step % all.length)?.focus();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  return (
    <div className="menu" ref={root} onKeyDown={keys}>
      <button ref={button} type="button" className="button" aria-haspopup="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {label}
        <span className="caret" aria-hidden="true" />
      </button>
      {isOpen && (
        <div className="menu-items" role="menu" aria-label={label}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                item.act();
              }}
            >
              {item.label}
              {item.detail && <code>{item.detail}</code>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

// SPDX-License-Identifier: MIT
// Displays of one's own: those that are kept, and one that is being written, with what is wrong with it and what it gives.
import { useEffect, useState } from "react";
import { CENSUS_DISPLAYS, customDisplays, LABEL_DISPLAYS, TREE_MAP_DISPLAY } from "../../logic/displays";
import { breakdownOf, nameFault, ownDisplays, PREFERENCE_OF, type DisplayKind, type OwnDisplay } from "../../logic/own_displays";
import { useDo, useSee } from "../../shared/hooks";
import { setPreference } from "../../store/actions";
import { deleteDisplay, saveDisplay, tryDisplay } from "../../store/tasks/own_displays";
import { Trial } from "./Trial";

const KINDS: readonly (readonly [DisplayKind, string])[] = [
  ["census", "Counts"],
  ["treeMap", "Maps"],
  ["label", "Labels"],
];

const BEGINNINGS: Record<DisplayKind, readonly OwnDisplay[]> = {
  census: Object.values(CENSUS_DISPLAYS).map(asOwn),
  label: Object.values(LABEL_DISPLAYS).map(asOwn),
  treeMap: [asOwn(TREE_MAP_DISPLAY)],
};

function asOwn(display: { displayName: string; breakdown: object; inverted?: boolean }): OwnDisplay {
  return { name: display.displayName, breakdown: JSON.stringify(display.breakdown, null, 2), inverted: display.inverted ?? false };
}

const NEW: OwnDisplay = {
  name: "",
  breakdown: JSON.stringify({ by: "objectClass", then: { by: "count", count: true, bytes: true } }, null, 2),
  inverted: false,
};

const STAYS_MS = 300;

function Kept({ kind, edited, onEdit }: { kind: DisplayKind; edited: string; onEdit(display: OwnDisplay): void }) {
  const act = useDo();
  const text = useSee((state) => state.preferences[PREFERENCE_OF[kind]]);
  const { error } = customDisplays(text);
  if (error) {
    return (
      <p className="field-error" role="alert">
        What was kept is ignored: {error}{" "}
        <button type="button" className="link-button" onClick={() => act(setPreference({ [PREFERENCE_OF[kind]]: "" }))}>
          Delete it
        </button>
      </p>
    );
  }
  const own = ownDisplays(text);
  return own.length === 0 ? (
    <p className="muted">There are none yet.</p>
  ) : (
    <ul className="own-displays" aria-label="Kept displays">
      {own.map((display) => (
        <li key={display.name}>
          <button type="button" className="link-button" aria-current={display.name === edited || undefined} onClick={() => onEdit(display)}>
            {display.name}
          </button>
          <button
            type="button"
            className="icon-button"
            aria-label={`Delete the display ${display.name}`}
            title="Delete"
            onClick={() => act(deleteDisplay(kind, display.name))}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

export function DisplayEditor() {
  const act = useDo();
  const [kind, setKind] = useState<DisplayKind>("census");
  const [draft, setDraft] = useState(NEW);
  const [said, setSaid] = useState("");
  const { breakdown: text, inverted, name } = draft;
  const change = (part: Partial<OwnDisplay>) => {
    setSaid("");
    setDraft({ ...draft, ...part });
  };
  const { fault } = breakdownOf(text);
  const badName = nameFault(kind, name);
  const isInverted = kind === "census" && inverted;
  useEffect(() => {
    const timer = fault === null ? setTimeout(() => void act(tryDisplay({ breakdown: text, inverted: isInverted })), STAYS_MS) : undefined;
    return () => clearTimeout(timer);
  }, [act, fault, text, isInverted]);
  return (
    <section className="card display-editor">
      <h2>Displays of your own</h2>
      <div className="segments" role="group" aria-label="What the displays are for">
        {KINDS.map(([id, words]) => (
          <button key={id} type="button" aria-pressed={kind === id} onClick={() => setKind(id)}>
            {words}
          </button>
        ))}
      </div>
      <Kept kind={kind} edited={name} onEdit={(display) => change(display)} />
      <form
        className="display-form"
        onSubmit={(event) => {
          event.preventDefault();
          act(saveDisplay(kind, { ...draft, inverted: isInverted }));
          setSaid(`Kept as “${name.trim()}”.`);
        }}
      >
        <div className="display-line">
          <label className="tool-field">
            <span>Name</span>
            <input type="text" value={name} maxLength={60} onChange={(event) => change({ name: event.target.value })} />
          </label>
          <label className="tool-field">
            <span>Begin with</span>
            <select value="" onChange={(event) => change({ ...BEGINNINGS[kind][Number(event.target.value)], name })}>
              <option value="" disabled>
                a display that there is
              </option>
              {BEGINNINGS[kind].map((display, at) => (
                <option key={display.name} value={at}>
                  {display.name}
                </option>
              ))}
            </select>
          </label>
          {kind === "census" && (
            <label className="tool-field check-field">
              <input type="checkbox" checked={inverted} onChange={() => change({ inverted: !inverted })} />
              <span>Turned over</span>
            </label>
          )}
        </div>
        <label className="field tall">
          <span>Breakdown: how to group, as JSON</span>
          <textarea
            rows={8}
            spellCheck={false}
            value={text}
            aria-invalid={fault !== null}
            aria-describedby="display-fault"
            onChange={(event) => change({ breakdown: event.target.value })}
          />
        </label>
        <p id="display-fault" className={fault ? "field-error" : "muted"} role={fault ? "alert" : undefined}>
          {fault ?? "With this, a census begins with these rows:"}
        </p>
        {fault === null && <Trial wanted={`${isInverted} ${text}`} />}
        <div className="display-line">
          <button type="submit" className="button primary" disabled={fault !== null || badName !== null}>
            Save
          </button>
          <span className="muted" role="status">
            {said || badName}
          </span>
        </div>
      </form>
    </section>
  );
}

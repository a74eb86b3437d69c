// SPDX-License-Identifier: MIT
import { useId, useState } from "react";
import { formatNumber } from "../../logic/format";
import { useDo, useSee } from "../../shared/hooks";
import { setPreference } from "../../store/actions";
import type { Preferences } from "../../store/models";
import { DisplayEditor } from "./DisplayEditor";

const THEMES = [
  ["system", "As the system"],
  ["light", "Light"],
  ["dark", "Dark"],
] as const;
const UNITS = [
  ["bytes", "All digits"],
  ["binary", "Three digits with a unit"],
] as const;

interface ChoicesProps<Value extends string> {
  legend: string;
  name: string;
  value: Value;
  choices: readonly (readonly [Value, string])[];
  onChoose(value: Value): void;
}

function Choices<Value extends string>({ legend, name, value, choices, onChoose }: ChoicesProps<Value>) {
  return (
    <fieldset className="choices">
      <legend>{legend}</legend>
      {choices.map(([choice, words]) => (
        <label key={choice}>
          <input type="radio" name={name} checked={value === choice} onChange={() => onChoose(choice)} />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

/** A whole number from 1 to `most`. What is typed and is none stays there, with what is used instead. */
function NumberField({ label, value, most, onChange }: { label: string; value: number; most: number; onChange(value: number): void }) {
  const [text, setText] = useState(String(value));
  const number = Number(text);
  const isRight = text.trim() !== "" && Number.isInteger(number) && number >= 1 && number <= most;
  const id = useId();
  return (
    <div>
      <label className="field">
        <span>{label}</span>
        <input
          type="number"
          min={1}
          max={most}
          value={text}
          aria-invalid={!isRight}
          aria-describedby={id}
          onChange={(event) => {
            setText(event.target.value);
            const wanted = event.target.valueAsNumber;
            if (Number.isInteger(wanted) && wanted >= 1 && wanted <= most) {
              onChange(wanted);
            }
          }}
        />
      </label>
      <p id={id} className="field-error" role="status">
        {!isRight && `It is a whole number from 1 to ${formatNumber(most)}: ${formatNumber(value)} stays in use.`}
      </p>
    </div>
  );
}

export function Settings() {
  const act = useDo();
  const preferences = useSee((state) => state.preferences);
  const set = (change: Partial<Preferences>) => void act(setPreference(change));
  return (
    <div className="settings">
      <h1>Settings</h1>
      <section className="card">
        <Choices legend="Theme" name="theme" value={preferences.theme} choices={THEMES} onChoose={(theme) => set({ theme })} />
        <Choices legend="Sizes in tables" name="units" value={preferences.units} choices={UNITS} onChoose={(units) => set({ units })} />
        <label className="switch">
          <input type="checkbox" checked={preferences.percentages} onChange={(event) => set({ percentages: event.target.checked })} />
          Percentages beside the numbers of a census
        </label>
      </section>
      <section className="card">
        <NumberField
          label="Retaining paths of an object, at most"
          value={preferences.maxRetainingPaths}
          most={100}
          onChange={(maxRetainingPaths) => set({ maxRetainingPaths })}
        />
        <NumberField
          label="Objects of a row, at most"
          value={preferences.maxIndividuals}
          most={10_000}
          onChange={(maxIndividuals) => set({ maxIndividuals })}
        />
      </section>
      <DisplayEditor />
    </div>
  );
}

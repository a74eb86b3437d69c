// SPDX-License-Identifier: MIT
// Where an error says that a file was overwritten: reads it as it is now.
import { overwrittenName } from "../logic/unanswered";
import { openAgain } from "../store/tasks/snapshots";
import { useDo, useSee } from "./hooks";

export function ReadAgain({ error }: { error: string | null }) {
  const act = useDo();
  const name = overwrittenName(error);
  const id = useSee((state) => (name === null ? null : (state.snapshots.find((one) => one.name === name)?.id ?? null)));
  return id === null ? null : (
    <button type="button" className="button" onClick={() => void act(openAgain(id))}>
      Read {name} again
    </button>
  );
}

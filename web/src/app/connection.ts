// SPDX-License-Identifier: MIT
// Asks the server from time to time whether it is there, and what is open: others may open heaps, too.
import type { Store } from "../store";
import { CONNECTION } from "../store/models";
import { listSnapshots, listTargets } from "../store/tasks/snapshots";
import { recover } from "../store/tasks/recover";

const CALM_MS = 2000;
const LOST_MS = 1000;

export async function startConnection(store: Store): Promise<void> {
  await Promise.all([store.dispatch(listSnapshots()), store.dispatch(listTargets())]);
  const again = () => {
    const isUnwell = () => store.getState().connection !== CONNECTION.READY;
    setTimeout(
      () => {
        const isLost = isUnwell(); // requests notice it, too
        void Promise.all([store.dispatch(listSnapshots()), store.dispatch(listTargets())]).then(() => {
          const { connection } = store.getState();
          if (connection === CONNECTION.REPLACED) {
            location.reload(); // the address says what is shown
            return;
          }
          if (isLost && connection === CONNECTION.READY) {
            void store.dispatch(recover());
          }
          again();
        });
      },
      isUnwell() ? LOST_MS : CALM_MS,
    );
  };
  again();
}

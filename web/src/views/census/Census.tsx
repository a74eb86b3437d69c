// SPDX-License-Identifier: MIT
// Aggregate: how much of what there is, as a tree.
import { commandText } from "../../logic/commands";
import { CensusTable } from "../../shared/CensusTable";
import { CopyMenu } from "../../shared/CopyMenu";
import { FilterNote } from "../../shared/FilterNote";
import { useDo } from "../../shared/hooks";
import { Empty } from "../../shared/Status";
import { collapseCensusNode, focusCensusNode } from "../../store/actions";
import type { CensusModel, Snapshot } from "../../store/models";
import { expandCensusRow, fetchCensusRows } from "../../store/tasks/census";
import { censusToCopy } from "../../store/tasks/copies";
import { fetchIndividuals } from "../../store/tasks/dominators";
import { setSortAndRefresh } from "../../store/tasks/views";

/** Whether nothing has a stack: the only row is what has none. */
function hasNoStacks({ display, report }: CensusModel): boolean {
  const list = report?.lists[report.root];
  const first = report?.rows[list?.ids[0] ?? -1];
  return display.breakdown.by === "allocationStack" && list?.childCount === 1 && first?.name === "noStack";
}

export function Census({ snapshot, census }: { snapshot: Snapshot; census: CensusModel }) {
  const act = useDo();
  const { id } = snapshot;
  const isEmpty = census.report?.lists[census.report.root]?.childCount === 0;
  if (isEmpty) {
    return (
      <Empty title={census.filter ? "No matches" : "Empty"}>
        <p>
          {census.filter
            ? `No name, file or function has “${census.filter}” in it; upper and lower case are different.`
            : "This snapshot has nothing to count."}
        </p>
        <FilterNote />
      </Empty>
    );
  }
  const { display, filter } = census;
  const command = commandText(
    "census",
    ["--breakdown", JSON.stringify(display.breakdown)],
    display.inverted ? "--inverted" : "--no-inverted",
    ["--filter", filter],
    snapshot.name,
  );
  return (
    <div className="table-view">
      <div className="view-bar">
        <p className="view-note">
          {hasNoStacks(census) ? "No allocation stacks were recorded in this snapshot: record them before it is taken." : display.tooltip}
        </p>
        <FilterNote />
        <CopyMenu rows={() => act(censusToCopy(id))} command={command} />
      </div>
      <CensusTable
        census={census}
        isDiff={false}
        onFocus={(node) => act(focusCensusNode({ id, node }))}
        onExpand={(node) => void act(expandCensusRow(id, node))}
        onCollapse={(node) => act(collapseCensusNode({ id, node }))}
        onSort={(sort) => void act(setSortAndRefresh(sort))}
        onNeed={(parent, offset) => void act(fetchCensusRows(id, parent, offset))}
        onIndividuals={(indices) => void act(fetchIndividuals(id, display.breakdown, indices))}
      />
    </div>
  );
}

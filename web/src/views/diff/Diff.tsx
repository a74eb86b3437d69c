// SPDX-License-Identifier: MIT
// What changed between two snapshots, as a census of differences.
import { bytesStayedChange } from "../../logic/class_diff";
import { commandText } from "../../logic/commands";
import { signedSize } from "../../logic/format";
import { CensusTable } from "../../shared/CensusTable";
import { CopyMenu } from "../../shared/CopyMenu";
import { FilterNote } from "../../shared/FilterNote";
import { useDo, useSee } from "../../shared/hooks";
import { Empty } from "../../shared/Status";
import { collapseDiffingCensusNode, focusDiffingCensusNode } from "../../store/actions";
import { DIFFING, type DiffingModel } from "../../store/models";
import { snapshotOf, titleAmong } from "../../store/selectors";
import { diffToCopy } from "../../store/tasks/copies";
import { expandDiffingRow, fetchDiffingRows, showClassDiff } from "../../store/tasks/diffing";
import { setSortAndRefresh } from "../../store/tasks/views";
import { ClassDiff, classDiffCells } from "./ClassDiff";

export function Diff({ diffing }: { diffing: DiffingModel }) {
  const act = useDo();
  const first = useSee((state) => snapshotOf(state, diffing.firstSnapshotId));
  const second = useSee((state) => snapshotOf(state, diffing.secondSnapshotId));
  const snapshots = useSee((state) => state.snapshots);
  const titles = [first, second].map((one) => one && titleAmong(snapshots, one));
  const { census, byClass } = diffing;
  if (diffing.state === DIFFING.SELECTING) {
    return (
      <Empty title={first ? "Select the snapshot to compare with" : "Select the baseline"}>
        <p>
          {first
            ? `Choose at the left what “${titles[0]}” is compared with: usually the later one.`
            : "Choose at the left the snapshot to begin from: usually the earlier one."}
        </p>
      </Empty>
    );
  }
  if (!census?.report || !first || !second) {
    return null;
  }
  const isOfStrangers = byClass !== null && !byClass.isOneProcess;
  const isRefused = isOfStrangers && !byClass.allowsOtherProcess;
  const stayed = isOfStrangers ? 0 : bytesStayedChange(byClass?.rows ?? []);
  const isEmpty = census.report.lists[census.report.root]?.childCount === 0;
  const { display, filter } = census;
  const command = commandText(
    "diff",
    ["--breakdown", JSON.stringify(display.breakdown)],
    display.inverted ? "--inverted" : "--no-inverted",
    ["--filter", filter],
    first.name,
    second.name,
  );
  return (
    <div className="table-view">
      <div className="view-bar">
        <p className="view-note">
          From <strong>{titles[0]}</strong> to <strong>{titles[1]}</strong>
          {isOfStrangers && !isRefused
            ? ": they seem to be of different processes, and then what is new or deleted is chance."
            : ": plus is what the second has more."}
          {stayed !== 0 && ` Objects that are in both changed by ${signedSize(stayed)}: these are in Delta Bytes alone.`}
          {byClass?.rows && !byClass.members && !isRefused && " A class that is chosen shows its objects."}
        </p>
        <div className="segments" role="group" aria-label="Compare by">
          {[false, true].map((isClass) => (
            <button
              key={String(isClass)}
              type="button"
              aria-pressed={isClass === (byClass !== null)}
              onClick={() => void act(showClassDiff(isClass))}
            >
              {isClass ? "By class" : "By group"}
            </button>
          ))}
        </div>
        <FilterNote />
        <CopyMenu
          {...(isRefused ? {} : { rows: () => (byClass ? classDiffCells(byClass, filter) : act(diffToCopy())) })}
          command={byClass ? commandText("diff", ["--by", "class"], first.name, second.name) : command}
        />
      </div>
      {byClass ? (
        <ClassDiff classes={byClass} first={first} second={second} />
      ) : isEmpty ? (
        <Empty title={filter ? "No matches" : "No difference between baseline and comparison"}>
          <FilterNote />
        </Empty>
      ) : (
        <CensusTable
          census={census}
          isDiff
          onFocus={(node) => act(focusDiffingCensusNode({ node }))}
          onExpand={(node) => void act(expandDiffingRow(node))}
          onCollapse={(node) => act(collapseDiffingCensusNode({ node }))}
          onSort={(sort) => void act(setSortAndRefresh(sort))}
          onNeed={(parent, offset) => void act(fetchDiffingRows(parent, offset))}
        />
      )}
    </div>
  );
}

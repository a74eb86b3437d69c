// SPDX-License-Identifier: MIT
// What changed by class: how many objects are new, how many are gone, and what both make; beside it, the objects of one class.
import { useMemo } from "react";
import { classesShown, classKey, CLASS_NUMBERS, firstSide, shortPlace, type ClassChange } from "../../logic/class_diff";
import { farthest, figureWidth } from "../../logic/columns";
import { formatNumber } from "../../logic/format";
import { useBytes, useDo, useSee } from "../../shared/hooks";
import { SplitPane } from "../../shared/SplitPane";
import { Empty, Failure, Working } from "../../shared/Status";
import { TreeTable, type Column } from "../../shared/TreeTable";
import { allowOtherProcessInDiff, resizeShortestPaths, sortClassDiff } from "../../store/actions";
import type { ClassDiffModel, Snapshot } from "../../store/models";
import { chooseClass, showClassDiff } from "../../store/tasks/diffing";
import { ClassMembers } from "./ClassMembers";

const TITLES = ["name", "place", "createdCount", "createdBytes", "deletedCount", "deletedBytes", "countChange", "bytesChange"];

export function classDiffCells({ rows, sort }: ClassDiffModel, filter: string | null): (string | number)[][] {
  const cells = classesShown(rows ?? [], filter, sort).map(({ name, where, created, deleted, old, new: now }) => [
    ...[name, where, created.count, created.bytes, deleted.count, deleted.bytes],
    ...[now.count - old.count, now.bytes - old.bytes],
  ]);
  return [TITLES, ...cells];
}

function Change({ value, text }: { value: number; text: string }) {
  return (
    <span className={value === 0 ? "figure" : value > 0 ? "figure more" : "figure less"}>
      <span className="figure-value">{text}</span>
    </span>
  );
}

const COLUMNS = [
  ["new", "New", "58px", "Objects of the comparison that the baseline has not"],
  ["deleted", "Deleted", "74px", "Objects of the baseline that the comparison has not"],
  ["delta", "Delta", "62px", "How many more there are"],
  ["newBytes", "New Bytes", "90px", "What the new ones take"],
  ["deletedBytes", "Deleted Bytes", "112px", "What the deleted ones took"],
  ["deltaBytes", "Delta Bytes", "98px", "How much more the class takes, also by objects that were there and grew"],
] as const;

/** Pixels: all columns, of usual numbers. */
const LEAST_TABLE = 680;

/**
 * Every column has room for its longest number.
 * @param isAlone  whether the table has the whole width.
 */
function useClassColumns(rows: readonly ClassChange[], isAlone: boolean): Column<ClassChange>[] {
  const bytes = useBytes();
  const columns = COLUMNS.map(([id, title, least, help]): Column<ClassChange> => {
    const isChange = id.startsWith("delta");
    const format = id.endsWith("Bytes") ? bytes : formatNumber;
    const numberOf = CLASS_NUMBERS[id] ?? (() => 0);
    const width = figureWidth(least, [format(farthest(rows.map(numberOf)), isChange)]);
    const cell = (row: ClassChange) => {
      const value = numberOf(row);
      return isChange ? <Change value={value} text={format(value, true)} /> : format(value);
    };
    return { id, title, width, help, cell, sort: id, isNumber: true };
  });
  const name: Column<ClassChange> = {
    ...{ id: "name", title: "Class", width: isAlone ? "minmax(140px, 1fr)" : "max(140px, 11vw)", sort: "name" },
    cell: ({ name: text, where }) => (
      <span className="name-cell">
        <span className="name" title={text}>
          {text}
        </span>
        {where && (
          <span className="address" title={where}>
            {shortPlace(where)}
          </span>
        )}
      </span>
    ),
  };
  return [name, ...columns];
}

/** Ids of different processes have nothing to do with each other: what would be new or gone is chance. */
function Strangers({ first, second }: { first: Snapshot; second: Snapshot }) {
  const act = useDo();
  return (
    <Failure words="These snapshots seem to be of different processes." error={`${first.name}\n${second.name}`}>
      <p>Objects are found again by their ids, which mean something only within one run of a program. By group, any two can be compared.</p>
      <button type="button" className="button" onClick={() => act(allowOtherProcessInDiff())}>
        Compare them anyway
      </button>
    </Failure>
  );
}

interface ClassDiffProps {
  classes: ClassDiffModel;
  first: Snapshot;
  second: Snapshot;
}

export function ClassDiff({ classes, first, second }: ClassDiffProps) {
  const act = useDo();
  const share = useSee((state) => state.sizes.shortestPathsSize);
  const filter = useSee((state) => state.filter);
  const { rows: all, sort, members } = classes;
  const chosen = all?.find((row) => classKey(row) === members?.key);
  const columns = useClassColumns(all ?? [], !chosen);
  const rows = useMemo(() => classesShown(all ?? [], filter, sort), [all, filter, sort]);
  if (classes.error) {
    return (
      <Failure words="The snapshots could not be compared." error={classes.error}>
        <button type="button" className="button" onClick={() => void act(showClassDiff(true, sort))}>
          Try again
        </button>
      </Failure>
    );
  }
  if (!all) {
    return <Working words="Comparing object by object…" progress={null} />;
  }
  if (!classes.isOneProcess && !classes.allowsOtherProcess) {
    return <Strangers first={first} second={second} />;
  }
  if (rows.length === 0) {
    return <Empty title={filter ? "No matches" : "No class changed"} />;
  }
  const show = (position: number) => {
    const row = rows[position];
    if (row) {
      act(chooseClass(classKey(row), firstSide(row)));
    }
  };
  return (
    <SplitPane share={share} onShare={(size) => act(resizeShortestPaths(size))} least={LEAST_TABLE}>
      <TreeTable
        label="Classes that changed"
        columns={columns}
        treeColumn=""
        length={rows.length}
        rowAt={(position) => rows[position] ?? null}
        placeOf={(row) => ({
          key: classKey(row),
          level: 0,
          index: rows.indexOf(row),
          siblingCount: rows.length,
          isExpandable: false,
          isExpanded: false,
          text: row.name,
        })}
        focused={rows.findIndex((row) => classKey(row) === members?.key)}
        parentOf={() => -1}
        onFocus={show}
        onToggle={() => undefined}
        onActivate={show}
        sort={sort}
        onSort={(wanted) => act(sortClassDiff(wanted))}
      />
      {members && chosen ? <ClassMembers members={members} row={chosen} snapshot={members.side === "created" ? second : first} /> : null}
    </SplitPane>
  );
}

// SPDX-License-Identifier: MIT
// What changed by class: how many objects are new, how many are gone, and what both make.
import { formatNumber } from "../../logic/format";
import { useBytes, useDo } from "../../shared/hooks";
import { Empty, Failure, Working } from "../../shared/Status";
import { TreeTable, type Column } from "../../shared/TreeTable";
import { focusClassChange } from "../../store/actions";
import type { ClassChange, ClassDiffModel } from "../../store/models";

const TITLES = ["name", "place", "createdCount", "createdBytes", "deletedCount", "deletedBytes", "countChange", "bytesChange"];

export function classDiffCells({ rows }: ClassDiffModel): (string | number)[][] {
  const cells = (rows ?? []).map(({ name, place, created, deleted, old, new: now }) => [
    ...[name, place ?? "", created.count, created.bytes, deleted.count, deleted.bytes],
    ...[now.count - old.count, now.bytes - old.bytes],
  ]);
  return [TITLES, ...cells];
}

function Change({ value, text }: { value: number; text: string }) {
  return (
    <span className={value === 0 ? "figure" : value > 0 ? "figure more" : "figure less"}>
      {<span className="figure-value">{text}</span>}
    </span>
  );
}

function useClassColumns(): Column<ClassChange>[] {
  const bytes = useBytes();
  const column = (id: string, title: string, help: string, cell: Column<ClassChange>["cell"]): Column<ClassChange> => {
    return { id, title, help, cell, width: "minmax(96px, 130px)", isNumber: true };
  };
  return [
    column("new", "New", "Objects of the comparison that the baseline has not", ({ created }) => formatNumber(created.count)),
    column("deleted", "Deleted", "Objects of the baseline that the comparison has not", ({ deleted }) => formatNumber(deleted.count)),
    column("delta", "Delta", "How many more there are", ({ old, new: now }) => {
      return <Change value={now.count - old.count} text={formatNumber(now.count - old.count, true)} />;
    }),
    column("newBytes", "New Bytes", "What the new ones take", ({ created }) => bytes(created.bytes)),
    column("deletedBytes", "Deleted Bytes", "What the deleted ones took", ({ deleted }) => bytes(deleted.bytes)),
    column("deltaBytes", "Delta Bytes", "How much more they take", ({ old, new: now }) => {
      return <Change value={now.bytes - old.bytes} text={bytes(now.bytes - old.bytes, true)} />;
    }),
    {
      ...{ id: "name", title: "Class", width: "minmax(200px, 1fr)" },
      cell: ({ name, place }) => (
        <span className="name-cell">
          <span className="name" title={name}>
            {name}
          </span>
          {place && <span className="address">{place}</span>}
        </span>
      ),
    },
  ];
}

export function ClassDiff({ classes }: { classes: ClassDiffModel }) {
  const act = useDo();
  const columns = useClassColumns();
  const { rows } = classes;
  if (classes.error) {
    return <Failure words="The snapshots could not be compared." error={classes.error} />;
  }
  if (!rows) {
    return <Working words="Comparing object by object…" progress={null} />;
  }
  if (rows.length === 0) {
    return <Empty title="No class changed" />;
  }
  return (
    <TreeTable
      label="Classes that changed"
      columns={columns}
      treeColumn=""
      length={rows.length}
      rowAt={(position) => rows[position] ?? null}
      placeOf={(row) => ({
        key: `${row.coarseType} ${row.name} ${row.place ?? ""}`,
        level: 0,
        index: rows.indexOf(row),
        siblingCount: rows.length,
        isExpandable: false,
        isExpanded: false,
        text: row.name,
      })}
      focused={classes.focused}
      parentOf={() => -1}
      onFocus={(position) => act(focusClassChange(position))}
      onToggle={() => undefined}
      onActivate={() => undefined}
    />
  );
}

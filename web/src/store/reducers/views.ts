// SPDX-License-Identifier: MIT
// What is shown, and how: the view, individuals, open objects, displays and preferences.
import { combineReducers } from "@reduxjs/toolkit";
import { CENSUS_DISPLAYS, DEFAULT_DISPLAY, LABEL_DISPLAYS, TREE_MAP_DISPLAY } from "../../logic/displays";
import { isUnanswered } from "../../logic/unanswered";
import type { CensusDisplay, LabelDisplay } from "../../types/breakdown";
import type { LiveTarget } from "../../types/heap";
import * as a from "../actions";
import { ALL_SITES, CONNECTION, INDIVIDUALS, newIndividuals, VIEW } from "../models";
import type {
  AllocationsModel,
  ConnectionState,
  Grouping,
  IndividualsModel,
  ObjectModel,
  PathsModel,
  Preferences,
  Sort,
  TrialModel,
  ViewModel,
} from "../models";
import { diffingReducer } from "./diffing";
import { leaksReducer } from "./leaks";
import { pureReducer } from "./pure";
import { snapshotsReducer } from "./snapshots";

const viewReducer = pureReducer<ViewModel>({ state: VIEW.TREE_MAP, previous: null }, (builder) => {
  builder
    .addCase(a.changeView, (view, { payload: { newViewState, oldDiffing, oldSelected } }) => ({
      state: newViewState,
      previous: newViewState === VIEW.INDIVIDUALS ? { state: view.state, selected: oldSelected, diffing: oldDiffing } : null,
    }))
    .addCase(a.popView, (_, { payload }) => ({ state: payload.previousView.state, previous: null }));
});

const individualsReducer = pureReducer<IndividualsModel | null>(null, (builder) => {
  builder
    .addCase(a.changeView, (_, { payload }) => (payload.newViewState === VIEW.INDIVIDUALS ? newIndividuals() : null))
    .addCase(a.popView, () => null)
    .addCase(a.fetchIndividualsStart, (individuals, { payload }) => {
      return individuals && { ...individuals, ...payload, state: INDIVIDUALS.FETCHING, error: null };
    })
    .addCase(a.fetchIndividualsEnd, (individuals, { payload: { nodes, nodeCount, shallowSize } }) => {
      const focused = nodes.find((node) => node.nodeId === individuals?.focused?.nodeId) ?? null;
      return individuals && { ...individuals, state: INDIVIDUALS.FETCHED, nodes, nodeCount, shallowSize, focused };
    })
    .addCase(a.individualsError, (individuals, { payload }) => {
      return individuals && { ...individuals, state: INDIVIDUALS.ERROR, error: payload.error };
    })
    .addCase(a.focusIndividual, (individuals, { payload }) => individuals && { ...individuals, focused: payload.node });
});

/** Open objects, in the order in which they were opened, and which of them is shown. */
export interface ObjectsState {
  open: ObjectModel[];
  shown: ObjectModel["nodeId"] | null;
}

type OneObject = Pick<ObjectModel, "id" | "nodeId">;
const isSame = (one: OneObject, other: OneObject) => one.id === other.id && one.nodeId === other.nodeId;

function changedObject(objects: ObjectsState, of: OneObject, change: Partial<ObjectModel>): ObjectsState {
  return { ...objects, open: objects.open.map((one) => (isSame(one, of) ? { ...one, ...change } : one)) };
}

const objectsReducer = pureReducer<ObjectsState>({ open: [], shown: null }, (builder) => {
  builder
    .addCase(a.objectStart, ({ open }, { payload }) => {
      const fresh: ObjectModel = { ...payload, state: "object-state-loading", node: null, error: null };
      const isOpen = open.some((one) => isSame(one, payload));
      return {
        shown: payload.nodeId,
        open: isOpen ? open.map((one) => (isSame(one, payload) && !one.node ? fresh : one)) : [...open, fresh],
      };
    })
    .addCase(a.objectEnd, (objects, { payload }) => changedObject(objects, payload, { state: "object-state-loaded", node: payload.node }))
    .addCase(a.objectError, (objects, { payload }) =>
      changedObject(objects, payload, { state: "object-state-error", error: payload.error }),
    )
    .addCase(a.closeObject, ({ open, shown }, { payload }) => {
      const left = open.filter((one) => !isSame(one, payload));
      return { open: left, shown: shown === payload.nodeId ? (left[left.length - 1]?.nodeId ?? null) : shown };
    })
    .addCase(a.deleteSnapshotsStart, ({ open, shown }, { payload }) => {
      return { open: open.filter((one) => !payload.ids.includes(one.id)), shown };
    });
});

const targetsReducer = pureReducer<LiveTarget[]>([], (builder) => {
  builder.addCase(a.targetsCame, (_, { payload }) => payload);
});

/** null: the first. */
const chosenTargetReducer = pureReducer<LiveTarget["id"] | null>(null, (builder) => {
  builder.addCase(a.chooseTarget, (_, { payload }) => payload);
});

type Allocations = Record<LiveTarget["id"], AllocationsModel>;

function withAllocations(all: Allocations, target: string, change: (one: AllocationsModel) => Partial<AllocationsModel>): Allocations {
  const one = all[target] ?? ALL_SITES;
  return { ...all, [target]: { ...one, ...change(one) } };
}

/** What others switched is seen, too. */
function withTarget(all: Allocations, { id, recording: { isOn, ...how } }: LiveTarget): Allocations {
  return withAllocations(all, id, (one) => (one.togglingInProgress ? {} : { recording: isOn, ...(isOn ? how : {}) }));
}

const allocationsReducer = pureReducer<Allocations>({}, (builder) => {
  builder
    .addCase(a.setRecordingOptions, (all, { payload: { target, ...how } }) => withAllocations(all, target, () => how))
    .addCase(a.toggleRecordAllocationStacksStart, (all, { payload: { target } }) =>
      withAllocations(all, target, () => ({ togglingInProgress: true })),
    )
    .addCase(a.toggleRecordAllocationStacksEnd, (all, { payload: { target } }) =>
      withAllocations(all, target, ({ recording }) => ({ recording: !recording, togglingInProgress: false })),
    )
    .addCase(a.targetsCame, (all, { payload }) => payload.reduce(withTarget, all));
});

const pathsReducer = pureReducer<PathsModel | null>(null, (builder) => {
  const isOf = (paths: PathsModel | null, one: OneObject): paths is PathsModel => paths !== null && isSame(paths, one);
  builder
    .addCase(a.pathsStart, (_, { payload }) => ({ ...payload, graph: null, error: null }))
    .addCase(a.pathsEnd, (paths, { payload }) => (isOf(paths, payload) ? { ...paths, graph: payload.graph } : paths))
    .addCase(a.pathsError, (paths, { payload }) => (isOf(paths, payload) ? { ...paths, error: payload.error } : paths));
});

const censusDisplayReducer = pureReducer<CensusDisplay>(CENSUS_DISPLAYS[DEFAULT_DISPLAY] as CensusDisplay, (builder) => {
  builder.addCase(a.setCensusDisplay, (_, { payload }) => payload);
});
const labelDisplayReducer = pureReducer<LabelDisplay>(LABEL_DISPLAYS[DEFAULT_DISPLAY] as LabelDisplay, (builder) => {
  builder.addCase(a.setLabelDisplay, (_, { payload }) => payload);
});
const groupingReducer = pureReducer<Grouping>("node", (builder) => {
  builder.addCase(a.setGrouping, (_, { payload }) => payload);
});
const treeMapDisplayReducer = pureReducer<CensusDisplay>(TREE_MAP_DISPLAY, (builder) => {
  builder.addCase(a.setTreeMapDisplay, (_, { payload }) => payload);
});
const filterReducer = pureReducer<string | null>(null, (builder) => {
  builder.addCase(a.setFilterString, (_, { payload }) => payload || null);
});
const sortReducer = pureReducer<Sort>("", (builder) => {
  builder.addCase(a.setSort, (_, { payload }) => payload);
});
const summarySortReducer = pureReducer<Sort>("", (builder) => {
  builder.addCase(a.setSummarySort, (_, { payload }) => payload);
});
/** Shares of the window's width. */
export const DEFAULT_SIZES = { shortestPathsSize: 0.66 };
const sizesReducer = pureReducer(DEFAULT_SIZES, (builder) => {
  builder.addCase(a.resizeShortestPaths, (_, { payload }) => ({ shortestPathsSize: payload }));
});
const connectionReducer = pureReducer<ConnectionState>(CONNECTION.LOADING as ConnectionState, (builder) => {
  builder.addCase(a.connectionChanged, (_, { payload }) => payload);
});
const noticeReducer = pureReducer<string | null>(null, (builder) => {
  builder
    .addCase(a.noticeChanged, (_, { payload }) => payload)
    .addCase(a.forgetUnanswered, (notice) => (isUnanswered(notice) ? null : notice));
});

export const DEFAULT_PREFERENCES: Preferences = {
  theme: "system",
  units: "bytes",
  maxRetainingPaths: 10,
  maxIndividuals: 1000,
  customCensusDisplays: "",
  customLabelDisplays: "",
  customTreeMapDisplays: "",
  percentages: true,
};
const preferencesReducer = pureReducer<Preferences>(DEFAULT_PREFERENCES, (builder) => {
  builder.addCase(a.setPreference, (preferences, { payload }) => ({ ...preferences, ...payload }));
});

const trialReducer = pureReducer<TrialModel | null>(null, (builder) => {
  builder
    .addCase(a.trialStart, (_, { payload }) => ({ ...payload, page: null, error: null }))
    .addCase(a.trialEnd, (trial, { payload: { key, page } }) => (trial?.key === key ? { ...trial, page } : trial))
    .addCase(a.trialError, (trial, { payload: { key, error } }) => (trial?.key === key ? { ...trial, error } : trial));
});

export const rootReducer = combineReducers({
  allocations: allocationsReducer,
  targets: targetsReducer,
  chosenTarget: chosenTargetReducer,
  snapshots: snapshotsReducer,
  diffing: diffingReducer,
  leaks: leaksReducer,
  individuals: individualsReducer,
  view: viewReducer,
  objects: objectsReducer,
  paths: pathsReducer,
  censusDisplay: censusDisplayReducer,
  labelDisplay: labelDisplayReducer,
  grouping: groupingReducer,
  treeMapDisplay: treeMapDisplayReducer,
  filter: filterReducer,
  sort: sortReducer,
  summarySort: summarySortReducer,
  sizes: sizesReducer,
  connection: connectionReducer,
  notice: noticeReducer,
  preferences: preferencesReducer,
  trial: trialReducer,
});

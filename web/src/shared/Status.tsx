// SPDX-License-Identifier: MIT
// What is shown where there is nothing else to show: work that runs, errors, and nothing.
import type { ReactNode } from "react";
import { formatPercent } from "../logic/format";
import { ReadAgain } from "./ReadAgain";
import type { Progress } from "../store/models";

export function Spinner() {
  return <span className="spinner" aria-hidden="true" />;
}

export function ProgressBar({ progress }: { progress: Progress | null }) {
  const fraction = progress?.fraction;
  return (
    <div
      className={fraction === undefined ? "progress unknown" : "progress"}
      role="progressbar"
      aria-label={progress?.stage ?? "working"}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={fraction === undefined ? undefined : Math.round(fraction * 100)}
    >
      <div style={{ width: fraction === undefined ? "30%" : `${fraction * 100}%` }} />
    </div>
  );
}

/** Work that runs: in words, how far it is, and how to end it. */
export function Working({ words, progress, onCancel }: { words: string; progress: Progress | null; onCancel?: (() => void) | undefined }) {
  const percent = progress?.fraction === undefined ? "" : `, ${formatPercent(progress.fraction * 100)}`;
  return (
    <div className="panel-message" role="status">
      <Spinner />
      <p className="message-title">{words}</p>
      <ProgressBar progress={progress} />
      <p className="message-detail">{progress ? `${progress.stage}${percent}` : "\u00a0"}</p>
      {onCancel && (
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

interface FailureProps {
  words: string;
  /** The file that it is about. */
  of?: string | undefined;
  error: string | null;
  children?: ReactNode;
}

/** What went wrong: a sentence, and the words of what knows why. */
export function Failure({ words, of, error, children }: FailureProps) {
  return (
    <div className="panel-message failure" role="alert">
      <p className="message-title">{words}</p>
      {of && <p className="message-detail">{of}</p>}
      {error && <pre className="message-error">{error}</pre>}
      <ReadAgain error={error} />
      {children}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="panel-message empty">
      <p className="message-title">{title}</p>
      {children}
    </div>
  );
}

// SPDX-License-Identifier: MIT
import { Component, type ReactNode } from "react";
import { Failure } from "../shared/Status";

/** Where a view breaks, the rest of the page stays. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    return error ? (
      <main className="main" data-state="broken">
        <Failure words="This view broke. That is a mistake in ubiheap." error={error.message}>
          <button type="button" className="button" onClick={() => this.setState({ error: null })}>
            Try again
          </button>
        </Failure>
      </main>
    ) : (
      this.props.children
    );
  }
}

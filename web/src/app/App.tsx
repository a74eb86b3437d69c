// SPDX-License-Identifier: MIT
import { useEffect, useState } from "react";
import { Http } from "../api/http";
import { formatSize } from "../logic/format";
import type { OpenHeap } from "../types/heap";

export function App() {
  const [heaps, setHeaps] = useState<OpenHeap[] | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    new Http().get<"ubiheap.heaps/1">("/api/1/heaps").then(
      (document) => setHeaps(document.heaps),
      (reason: Error) => setError(reason.message),
    );
  }, []);
  return (
    <main className="heaps">
      <h1>ubiheap</h1>
      {error && <p role="alert">{error}</p>}
      {heaps?.length === 0 && <p>Nothing is open.</p>}
      <ul>
        {heaps?.map((heap) => (
          <li key={heap.id}>
            <a href={`${heap.self}/${heap.kind === "timeline" ? "timeline" : "report"}?format=page`}>{heap.name}</a>
            <span>
              {heap.what}, {formatSize(heap.size)}
            </span>
          </li>
        ))}
      </ul>
    </main>
  );
}

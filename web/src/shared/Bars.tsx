// SPDX-License-Identifier: MIT
// A few numbers as bars beside each other, with the words that say the same.
import type { Series } from "../logic/leaks";

const HEIGHT = 30;
const BAR = 11;
const GAP = 3;
const LEAST = 2;

export function Bars({ series }: { series: Series }) {
  const { values, words } = series;
  const most = Math.max(...values, 1);
  return (
    <svg className="bars" role="img" aria-label={words} width={values.length * (BAR + GAP)} height={HEIGHT}>
      <title>{words}</title>
      {values.map((value, at) => {
        const height = value > 0 ? Math.max(LEAST, (value / most) * HEIGHT) : 1;
        return (
          <rect
            key={at}
            className={value > 0 ? "bar" : "bar none"}
            x={at * (BAR + GAP)}
            y={HEIGHT - height}
            width={BAR}
            height={height}
            rx={1.5}
          />
        );
      })}
    </svg>
  );
}

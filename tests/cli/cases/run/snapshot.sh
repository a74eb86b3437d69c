echo 'globalThis.kept = [1, 2].map(String); print("runs")' > app.js
ubiheap run --snapshot-at exit app.js 2>&1 | sed 's/): .*/): .../'
ubiheap info app-1.fxsnapshot | sed -n '1,2s/,.*//p; /Unreachable/p'

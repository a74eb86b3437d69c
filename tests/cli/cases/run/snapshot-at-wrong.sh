ubiheap run --snapshot-at sometimes app.js

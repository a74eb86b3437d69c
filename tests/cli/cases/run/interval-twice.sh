ubiheap run --snapshot-at 1s --snapshot-at 2s app.js

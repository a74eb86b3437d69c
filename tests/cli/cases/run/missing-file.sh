ubiheap run missing.js

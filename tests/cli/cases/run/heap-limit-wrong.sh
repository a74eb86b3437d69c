ubiheap run --heap-limit plenty app.js

ubiheap run --module --script app.js

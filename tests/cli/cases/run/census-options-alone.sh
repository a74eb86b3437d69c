ubiheap run -b objectClass app.js

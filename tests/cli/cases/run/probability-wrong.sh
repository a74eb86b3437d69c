ubiheap run -p 1.5 app.js

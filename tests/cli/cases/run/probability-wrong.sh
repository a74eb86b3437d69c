ubiheap run --sampling-probability 1.5 app.js

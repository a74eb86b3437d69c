# -p had this meaning once.
ubiheap run -p 0.05 app.js

echo 'print("runs")' > app.js
ubiheap run --timeline none/app.timeline app.js

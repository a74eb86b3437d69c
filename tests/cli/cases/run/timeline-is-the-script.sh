echo 'print("runs")' > app.js
ubiheap run --timeline app.js app.js
ubiheap run --allocation-log app.js app.js
ubiheap run --timeline none.timeline none.js
ls none.timeline 2>/dev/null
cat app.js

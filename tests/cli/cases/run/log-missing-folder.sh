echo 'print("runs")' > app.js
ubiheap run --allocation-log none/log app.js

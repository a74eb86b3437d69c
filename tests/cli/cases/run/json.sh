echo 'print("runs")' > app.js
ubiheap run --json --output document app.js
cat document

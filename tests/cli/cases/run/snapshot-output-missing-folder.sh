echo 'print("runs")' > app.js
ubiheap run --snapshot-at exit -o none/%n.fxsnapshot app.js 2>&1 | sed 's/none.[^ :]*fxsnapshot[^ :]*/FILE/g'

cat > app.js <<'END'
function late() { console.timeStamp("late") }
setTimeout(late, 1);
END
ubiheap run --timeline app.timeline app.js 2>&1 | sed 's/: [0-9]* markers/: several markers/'
grep -o '"name":"[A-Za-z ]*"' app.timeline
ubiheap run --timeline - app.js

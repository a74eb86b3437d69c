cat > app.js <<'JS'
globalThis.dates = Array.from({ length: 250 }, () => new Date());
JS
ubiheap run --census-at exit -b objectClass app.js | grep -o '250 .*Date'

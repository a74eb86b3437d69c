echo 'const all = []; for (;;) all.push({})' > app.js
ubiheap run --heap-limit 2MiB app.js

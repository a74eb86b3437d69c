ulimit -s 8192
ubiheap run --stack-size 1GiB app.js

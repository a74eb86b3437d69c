# Everything behind the script is the script's, whatever it looks like.
echo 'console.log(scriptArgs)' > s.js
ubiheap run --snapshot-at signal s.js --json -- -x ""

echo "{\"by\": \"count\"}" > breakdown.json
ubiheap census --json -b @breakdown.json two.fxsnapshot

echo "{\"by\": \"count\", \"bytes\": false}" | ubiheap census --json -b @- two.fxsnapshot

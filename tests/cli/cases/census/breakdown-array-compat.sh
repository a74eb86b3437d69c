ubiheap census --compat firefox --json -b "[{\"by\":\"count\"}]" two.fxsnapshot

ubiheap census --json -b "[{\"by\":\"count\"},{\"by\":\"bucket\"}]" two.fxsnapshot

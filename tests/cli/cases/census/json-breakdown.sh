ubiheap census --json -b "{\"by\":\"coarseType\",\"strings\":{\"by\":\"bucket\"}}" two.fxsnapshot

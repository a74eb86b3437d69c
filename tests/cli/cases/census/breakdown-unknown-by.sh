ubiheap census -b "{\"by\":\"nope\"}" two.fxsnapshot

ubiheap census -b objectclas two.fxsnapshot

ubiheap census -b coarseType --no-inverted -n 3 -d 2 tiny-before.fxsnapshot

ubiheap census -b coarseType -n 12 tiny-before.fxsnapshot

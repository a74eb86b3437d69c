COLUMNS=50 ubiheap census -n 3 tiny-before.fxsnapshot

COLUMNS=120 ubiheap census -n 4 tiny-before.fxsnapshot

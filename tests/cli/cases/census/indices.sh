ubiheap census --indices -n 3 tiny-before.fxsnapshot

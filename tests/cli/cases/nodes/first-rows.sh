ubiheap nodes -n 4 tiny-before.fxsnapshot

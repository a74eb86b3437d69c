ubiheap leaks -n 3 tiny-before.fxsnapshot tiny-after.fxsnapshot

ubiheap report tiny-before.fxsnapshot

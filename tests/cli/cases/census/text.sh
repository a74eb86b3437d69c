ubiheap census tiny-before.fxsnapshot

ubiheap paths tiny-before.fxsnapshot

ubiheap convert tiny-before.fxsnapshot

ubiheap show tiny-before.fxsnapshot

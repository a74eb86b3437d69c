ubiheap show tiny-before.fxsnapshot 0

ubiheap show tiny-before.fxsnapshot 12345

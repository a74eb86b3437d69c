ubiheap show tiny-before.fxsnapshot store
